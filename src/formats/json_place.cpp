// Where a value stands: its path, line and column, and the errors that say so.
#include <algorithm>
#include <utility>

#include "formats/json_text.hpp"
#include "formats/json_tree.hpp"

namespace normcert {
namespace {

using Value = JsonTree::Value;

constexpr std::size_t kNameLimit = 100;
constexpr std::size_t kPathLimit = 400;
constexpr std::size_t kShownLimit = 1000;  // more than any message shows

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

bool is_identifier(std::string_view name) {
  return !name.empty() && name.size() <= kNameLimit && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

// The last child of `parent` that begins at or before `offset`.
std::uint32_t child_around(const JsonTree& tree, const Value& parent, std::uint32_t offset) {
  const std::ptrdiff_t children =
      std::ptrdiff_t{parent.count} * (parent.kind == JsonKind::kObject ? 2 : 1);
  const auto first = tree.values.begin() + parent.first;
  const auto behind = std::upper_bound(
      first, first + children, offset,
      [](std::uint32_t wanted, const Value& child) { return wanted < child.offset; });
  return static_cast<std::uint32_t>(behind - tree.values.begin() - 1);
}

// A long path without its middle.
std::string shortened(const std::string& path) {
  if (path.size() <= kPathLimit) return path;
  std::size_t head = kPathLimit / 2;
  std::size_t tail = path.size() - kPathLimit / 2;
  while (is_inside_character(path[head])) --head;
  while (is_inside_character(path[tail])) ++tail;
  return path.substr(0, head) + "..." + path.substr(tail);
}

}  // namespace

TextPosition text_position(std::string_view text, std::size_t offset) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
    offset -= std::min<std::size_t>(offset, 3);
  }
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto inside = std::count_if(line.begin(), line.end(), is_inside_character);
  return {static_cast<std::size_t>(lines) + 1, line.size() - static_cast<std::size_t>(inside) + 1};
}

void append_member_to_path(std::string& path, std::string_view name) {
  if (is_identifier(name)) {
    if (!path.empty()) path += '.';
    path += name;
    return;
  }
  std::string escaped;
  for (const char c : name.substr(0, kNameLimit + 1)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  path += "[\"" + printable(escaped, kNameLimit) + "\"]";
}

void append_index_to_path(std::string& path, std::size_t index) {
  path += '[' + std::to_string(index) + ']';
}

std::string json_place(const std::string& path, const TextPosition& position) {
  const std::string line = "line " + std::to_string(position.line);
  return path.empty() ? line : shortened(path) + ", " + line;
}

std::string JsonNode::path() const {
  std::string path;
  const std::uint32_t offset = tree_->values[index_].offset;
  for (auto at = static_cast<std::uint32_t>(tree_->values.size() - 1); at != index_;) {
    const Value& parent = tree_->values[at];
    at = child_around(*tree_, parent, offset);
    if (parent.kind == JsonKind::kArray) {
      append_index_to_path(path, at - parent.first);
    } else {
      const std::uint32_t key = at - (at - parent.first) % 2;
      append_member_to_path(path, tree_->string(tree_->values[key]));
    }
  }
  return path;
}

std::size_t JsonNode::line() const {
  return text_position(tree_->text, tree_->values[index_].offset).line;
}

std::size_t JsonNode::column() const {
  return text_position(tree_->text, tree_->values[index_].offset).column;
}

std::size_t JsonNode::byte_offset() const {
  return tree_->first_byte + tree_->values[index_].offset;
}

std::string JsonNode::place() const {
  return json_place(path(), text_position(tree_->text, tree_->values[index_].offset));
}

std::string JsonNode::shown() const {
  const Value& value = tree_->values[index_];
  if (is_array()) return value.count == 0 ? "[]" : "an array of " + std::to_string(value.count);
  if (is_object()) return value.count == 0 ? "{}" : "an object";
  return std::string(raw().substr(0, kShownLimit));
}

InputError JsonNode::error(std::string found, std::string expected, std::string nearest,
                           std::string code) const {
  return InputError({.code = std::move(code),
                     .file = tree_->file,
                     .place = place(),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = std::move(nearest)});
}

InputError JsonNode::unexpected(std::string expected, std::string nearest, std::string code) const {
  return error(shown(), std::move(expected), std::move(nearest), std::move(code));
}

}  // namespace normcert
