#include "formats/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "formats/file_bytes.hpp"
#include "formats/json_tree.hpp"
#include "numeric/code.hpp"
#include "numeric/decimal.hpp"
#include "numeric/float_format.hpp"

namespace normcert {
namespace {

using Value = JsonTree::Value;

std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

std::string listed(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += ", ";
    list += in_quotes(name);
  }
  return list;
}

}  // namespace

JsonKind JsonNode::kind() const { return tree_->values[index_].kind; }

std::size_t JsonNode::size() const {
  if (!is_array() && !is_object()) throw unexpected("an array or an object");
  return tree_->values[index_].count;
}

JsonNode JsonNode::item(std::size_t index) const {
  require_kind(JsonKind::kArray, "an array");
  return {tree_, static_cast<std::uint32_t>(tree_->values[index_].first + index)};
}

std::vector<JsonNode> JsonNode::items() const {
  require_kind(JsonKind::kArray, "an array");
  std::vector<JsonNode> items;
  items.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) items.push_back(item(i));
  return items;
}

std::vector<JsonMember> JsonNode::members() const {
  require_kind(JsonKind::kObject, "an object");
  const Value& object = tree_->values[index_];
  std::vector<JsonMember> members;
  members.reserve(object.count);
  for (std::uint32_t i = 0; i < object.count; ++i) {
    const std::uint32_t key = object.first + 2 * i;
    members.push_back({std::string(tree_->string(tree_->values[key])), JsonNode(tree_, key),
                       JsonNode(tree_, key + 1)});
  }
  return members;
}

std::optional<JsonNode> JsonNode::member(std::string_view name) const {
  require_kind(JsonKind::kObject, "an object");
  const Value& object = tree_->values[index_];
  const auto name_of = [&](std::uint32_t i) {
    return tree_->string(tree_->values[object.first + 2 * i]);
  };
  if (const auto sorted = tree_->members_by_name.find(object.first);
      object.count > JsonTree::kLinearSearchLimit && sorted != tree_->members_by_name.end()) {
    const auto found = std::lower_bound(
        sorted->second.begin(), sorted->second.end(), name,
        [&](std::uint32_t i, std::string_view wanted) { return name_of(i) < wanted; });
    if (found == sorted->second.end() || name_of(*found) != name) return std::nullopt;
    return JsonNode(tree_, object.first + 2 * *found + 1);
  }
  for (std::uint32_t i = 0; i < object.count; ++i) {
    if (name_of(i) == name) return JsonNode(tree_, object.first + 2 * i + 1);
  }
  return std::nullopt;
}

JsonNode JsonNode::required(std::string_view name) const {
  if (const auto value = member(name)) return *value;
  throw error(size() == 0 ? "an empty object" : "an object without " + in_quotes(name),
              "a member " + in_quotes(name));
}

void JsonNode::reject_unknown_members(std::span<const std::string_view> known) const {
  for (const JsonMember& member : members()) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    throw member.key.error("an unknown member " + in_quotes(member.name),
                           known.empty() ? "no members" : "one of " + listed(known),
                           std::string(nearest_name(member.name, known)));
  }
}

void JsonNode::reject_unknown_members(std::initializer_list<std::string_view> known) const {
  reject_unknown_members(std::span(known.begin(), known.size()));
}

std::string JsonNode::as_string() const {
  require_kind(JsonKind::kString, "a string");
  return std::string(tree_->string(tree_->values[index_]));
}

bool JsonNode::as_bool() const {
  require_kind(JsonKind::kBoolean, "true or false");
  return raw() == "true";
}

std::int64_t JsonNode::as_integer(std::int64_t min, std::int64_t max) const {
  std::string expected = "an integer from " + std::to_string(min) + " to " + std::to_string(max);
  if (max == std::numeric_limits<std::int64_t>::max()) {
    expected = "an integer of at least " + std::to_string(min);
  }
  require_kind(JsonKind::kNumber, expected);
  const std::string_view token = raw();
  std::int64_t value = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == token.data() + token.size();
  if (!whole || value < min || value > max) throw unexpected(std::move(expected));
  return value;
}

double JsonNode::as_double() const {
  require_kind(JsonKind::kNumber, "a number");
  const std::string_view token = raw();
  double value = 0;
  // std::from_chars rounds correctly and knows no locale.
  const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  // Too large, or so small that it rounds to zero?
  const std::optional<Code> code = read_code(token, kFp64);
  if (!code || is_infinite(*code)) throw unexpected("a number below 1.8e308 (binary64)");
  return to_binary64(*code);
}

std::string JsonNode::token() const {
  if (is_array() || is_object()) throw unexpected("a number, a string, true, false or null");
  return std::string(raw());
}

std::string_view JsonNode::raw() const { return tree_->token(tree_->values[index_]); }

void JsonNode::require_kind(JsonKind kind, std::string_view expected) const {
  if (this->kind() != kind) throw unexpected(std::string(expected));
}

JsonNode JsonDocument::root() const {
  return {tree_.get(), static_cast<std::uint32_t>(tree_->values.size() - 1)};
}

const std::string& JsonDocument::file() const { return tree_->file; }

const std::string& JsonDocument::text() const { return tree_->text; }

JsonDocument JsonDocument::parse(std::string name, std::string text, std::size_t first_byte) {
  return JsonDocument(std::make_shared<const JsonTree>(
      parse_json_tree(std::move(name), std::move(text), first_byte)));
}

JsonDocument JsonDocument::read(const std::filesystem::path& path, std::size_t max_bytes) {
  return parse(path.string(), read_file_bytes(path, max_bytes, EmptyFile::kAllowed));
}

}  // namespace normcert
