// nlohmann's parser delivers values without their places; this puts each back where it stands.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "formats/json_syntax_error.hpp"
#include "formats/json_tree.hpp"

namespace normcert {
namespace {

using Value = JsonTree::Value;

// The parser's floating-point type. It forgets what it is told and says 0: the parser would refuse
// a number beyond binary64, but here the token counts, and whoever wants its value reads it.
// The conversions are implicit because the parser treats it as a double.
class UnreadNumber {
 public:
  UnreadNumber() = default;
  UnreadNumber(double /*value*/) {}
  operator double&() { return unread_; }
  operator double() const { return 0; }

 private:
  double unread_ = 0;
};

using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t,
                                  std::uint64_t, UnreadNumber>;

// Receives the parser's events. Between two events only white space, commas and colons have been
// read, so that the place of each token follows from the end of the one before.
class TreeBuilder {
 public:
  explicit TreeBuilder(JsonTree& tree) : tree_(tree), text_(tree.text) {
    if (text_.starts_with("\xEF\xBB\xBF")) cursor_ = 3;
  }

  bool null() { return add_scalar(JsonKind::kNull, 4); }
  bool boolean(bool value) { return add_scalar(JsonKind::kBoolean, value ? 4 : 5); }
  bool number_integer(Json::number_integer_t /*value*/) { return add_whole_number(); }
  bool number_unsigned(Json::number_unsigned_t /*value*/) { return add_whole_number(); }
  bool number_float(Json::number_float_t /*value*/, const std::string& token) {
    return add_scalar(JsonKind::kNumber, token.size());
  }
  bool string(std::string& decoded) { return add_string(decoded); }
  bool key(std::string& decoded) { return add_string(decoded); }
  bool start_array(std::size_t /*unknown*/) { return open(JsonKind::kArray); }
  bool start_object(std::size_t /*unknown*/) { return open(JsonKind::kObject); }
  bool end_array() { return close(); }
  bool end_object() { return close(); }
  bool binary(Json::binary_t& /*only in other formats*/) { return false; }

  bool parse_error(std::size_t bytes_read, const std::string& /*token*/,
                   const nlohmann::detail::exception& complaint) {
    JsonSyntaxFault here = fault(open_path());
    here.bytes_read = bytes_read;
    here.complaint = complaint.what();
    throw json_syntax_error(here);
  }

  // The parser takes a NUL for the end of its input; the text must really end there.
  void finish() {
    const std::size_t rest = text_.find_first_not_of(" \t\n\r", cursor_);
    if (rest != std::string_view::npos) {
      throw json_error_at(fault(""), rest, "the byte 0x00", "nothing more");
    }
    tree_.values.push_back(pending_.front());
  }

 private:
  struct Container {
    Value value;
    std::size_t first_pending;
  };

  std::uint32_t next_token() {
    cursor_ = text_.find_first_not_of(" \t\n\r,:", cursor_);
    return static_cast<std::uint32_t>(cursor_);
  }

  bool add_scalar(JsonKind kind, std::size_t length) {
    const std::uint32_t offset = next_token();
    pending_.push_back({offset, 0, static_cast<std::uint32_t>(length), kind, false});
    cursor_ += length;
    return true;
  }

  bool add_whole_number() {
    const std::size_t digits = next_token() + (text_[cursor_] == '-' ? 1U : 0U);
    // No zero leads a number: in "01" the token is "0", and the parser is about to refuse the rest.
    const std::size_t end =
        text_[digits] == '0' ? digits + 1 : text_.find_first_not_of("0123456789", digits);
    return add_scalar(JsonKind::kNumber, std::min(end, text_.size()) - cursor_);
  }

  bool add_string(std::string& decoded) {
    const std::uint32_t offset = next_token();
    std::size_t end = offset + 1U;
    bool has_escapes = false;
    for (; text_[end] != '"'; ++end) {
      if (text_[end] != '\\') continue;
      has_escapes = true;
      ++end;
    }
    add_scalar(JsonKind::kString, end + 1 - offset);
    if (has_escapes) {
      pending_.back().first = static_cast<std::uint32_t>(tree_.decoded.size());
      pending_.back().has_escapes = true;
      tree_.decoded.push_back(std::move(decoded));
    }
    return true;
  }

  bool open(JsonKind kind) {
    const std::uint32_t offset = next_token();
    if (containers_.size() == kJsonMaxDepth) {
      throw json_error_at(fault(open_path()), offset, "more nested arrays and objects",
                          "at most " + std::to_string(kJsonMaxDepth) + " levels");
    }
    containers_.push_back({{offset, 0, 0, kind, false}, pending_.size()});
    cursor_ = offset + 1U;
    return true;
  }

  bool close() {
    cursor_ = next_token() + 1U;
    auto [value, first_pending] = containers_.back();
    const auto children = pending_.begin() + static_cast<std::ptrdiff_t>(first_pending);
    value.first = static_cast<std::uint32_t>(tree_.values.size());
    value.count = static_cast<std::uint32_t>(pending_.size() - first_pending);
    if (value.kind == JsonKind::kObject) {
      value.count /= 2;
      index_members(value, first_pending);
    }
    tree_.values.insert(tree_.values.end(), children, pending_.end());
    pending_.erase(children, pending_.end());
    pending_.push_back(value);
    containers_.pop_back();
    return true;
  }

  // Refuses two members of one name.
  void index_members(const Value& object, std::size_t first_pending) {
    const auto key = [&](std::uint32_t member) -> const Value& {
      return pending_[first_pending + 2 * std::size_t{member}];
    };
    const auto name = [&](std::uint32_t member) { return tree_.string(key(member)); };
    std::vector<std::uint32_t> sorted(object.count);
    std::iota(sorted.begin(), sorted.end(), 0U);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int order = name(a).compare(name(b));
      return order != 0 ? order < 0 : a < b;
    });
    std::uint32_t repeated = object.count;  // the first in the file that repeats a name
    std::uint32_t original = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (name(sorted[i - 1]) != name(sorted[i]) || sorted[i] >= repeated) continue;
      original = sorted[i - 1];
      repeated = sorted[i];
    }
    if (repeated < object.count) {
      std::string path = open_path();
      append_member_to_path(path, name(repeated));
      const TextPosition first = text_position(text_, key(original).offset);
      throw json_error_at(fault(std::move(path)), key(repeated).offset,
                          "a second member of this name",
                          "one (the first is on line " + std::to_string(first.line) + ", column " +
                              std::to_string(first.column) + ")");
    }
    if (object.count > JsonTree::kLinearSearchLimit) {
      tree_.members_by_name.emplace(object.first, std::move(sorted));
    }
  }

  // Path of the innermost open container.
  std::string open_path() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < containers_.size(); ++i) {
      const std::size_t end = containers_[i + 1].first_pending;
      if (containers_[i].value.kind == JsonKind::kArray) {
        append_index_to_path(path, end - containers_[i].first_pending);
      } else {
        append_member_to_path(path, tree_.string(pending_[end - 1]));
      }
    }
    return path;
  }

  JsonSyntaxFault fault(std::string path) const {
    return {.file = tree_.file,
            .text = text_,
            .first_byte = tree_.first_byte,
            .path = std::move(path),
            .behind_last = cursor_,
            .bytes_read = 0,
            .complaint = "",
            .before_root = containers_.empty() && pending_.empty(),
            .after_root = containers_.empty() && !pending_.empty()};
  }

  JsonTree& tree_;
  std::string_view text_;
  std::size_t cursor_ = 0;  // behind the last token
  std::vector<Container> containers_;
  std::vector<Value> pending_;  // values whose container is still open
};

}  // namespace

JsonTree parse_json_tree(std::string file, std::string text, std::size_t first_byte) {
  JsonTree tree{.file = std::move(file),
                .text = std::move(text),
                .first_byte = first_byte,
                .values = {},
                .decoded = {},
                .members_by_name = {}};
  constexpr std::size_t kLargest = std::numeric_limits<std::uint32_t>::max();
  if (tree.text.size() > kLargest) {
    throw InputError({.code = "",
                      .file = tree.file,
                      .place = "",
                      .found = std::to_string(tree.text.size()) + " bytes of JSON",
                      .expected = "at most " + std::to_string(kLargest),
                      .nearest = ""});
  }
  TreeBuilder builder(tree);
  Json::sax_parse(tree.text.data(), tree.text.data() + tree.text.size(), &builder);
  builder.finish();
  return tree;
}

}  // namespace normcert
