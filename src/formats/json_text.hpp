// A JSON document (RFC 8259) as a tree that remembers where everything stands and every token as it
// is written: "1e-6" stays "1e-6", -0 keeps its sign, and each error names file, JSON path and
// line.
//
// The text must be UTF-8 (a byte order mark is skipped). Refused with a located InputError:
// anything that is not JSON, two members of one name in an object, nesting deeper than
// kJsonMaxDepth. Numbers have no range here: 1e999999 is a token like any other until somebody asks
// for its value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/error.hpp"

namespace normcert {

struct JsonTree;
struct JsonMember;

inline constexpr int kJsonMaxDepth = 100;
inline constexpr std::size_t kJsonMaxBytes = std::size_t{1} << 30;

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

// One value of a document: two words, copied freely, valid as long as the JsonDocument it is from.
// Everything that asks for a kind which the value is not throws a located InputError.
class JsonNode {
 public:
  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool is_null() const { return kind() == JsonKind::kNull; }
  [[nodiscard]] bool is_bool() const { return kind() == JsonKind::kBoolean; }
  [[nodiscard]] bool is_number() const { return kind() == JsonKind::kNumber; }
  [[nodiscard]] bool is_string() const { return kind() == JsonKind::kString; }
  [[nodiscard]] bool is_array() const { return kind() == JsonKind::kArray; }
  [[nodiscard]] bool is_object() const { return kind() == JsonKind::kObject; }

  // Elements of an array or members of an object.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<JsonNode> items() const;
  [[nodiscard]] JsonNode item(std::size_t index) const;  // requires index < size()

  // Members in the order of the file. Names are decoded.
  [[nodiscard]] std::vector<JsonMember> members() const;
  [[nodiscard]] std::optional<JsonNode> member(std::string_view name) const;
  [[nodiscard]] JsonNode required(std::string_view name) const;
  // Throws at the first member that is not one of `known`, naming the nearest of them.
  void reject_unknown_members(std::span<const std::string_view> known) const;
  void reject_unknown_members(std::initializer_list<std::string_view> known) const;

  [[nodiscard]] std::string as_string() const;  // decoded, valid UTF-8, may hold NUL
  [[nodiscard]] bool as_bool() const;
  // A number written without fraction and exponent, within [min, max].
  [[nodiscard]] std::int64_t as_integer(std::int64_t min, std::int64_t max) const;
  // Correctly rounded (to nearest even) binary64 of the token; -0 keeps its sign, magnitudes below
  // half the least subnormal give a zero. Throws where it would round to infinity (and for tokens
  // of that kind, too large or too small, that are longer than 20000 characters). Checked by
  // tests/formats/json_value_test.cpp.
  [[nodiscard]] double as_double() const;

  // The bytes of a scalar as they stand in the file; a string with its quotes and escapes.
  [[nodiscard]] std::string token() const;

  // "cases[3].x[0][2]", weight_map["model.norm.weight"]; empty for the root. Printable.
  [[nodiscard]] std::string path() const;
  // Both from 1; columns count characters. Each call reads the text up to here: for messages only.
  [[nodiscard]] std::size_t line() const;
  [[nodiscard]] std::size_t column() const;
  // Of the first byte of this value, in the file.
  [[nodiscard]] std::size_t byte_offset() const;
  // "cases[3].x[0][2], line 12"
  [[nodiscard]] std::string place() const;

  // What stands here, for messages: a scalar's token, "an array of 3", "an object".
  [[nodiscard]] std::string shown() const;
  // To be thrown: this file, this place, and what the caller says.
  [[nodiscard]] InputError error(std::string found, std::string expected, std::string nearest = "",
                                 std::string code = "") const;
  // The same with shown() as what was found.
  [[nodiscard]] InputError unexpected(std::string expected, std::string nearest = "",
                                      std::string code = "") const;

 private:
  friend class JsonDocument;
  JsonNode(const JsonTree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
  void require_kind(JsonKind kind, std::string_view expected) const;
  [[nodiscard]] std::string_view raw() const;

  const JsonTree* tree_;
  std::uint32_t index_;
};

struct JsonMember {
  std::string name;
  JsonNode key;  // where the name stands; its path is that of the member
  JsonNode value;
};

// Owns text and tree; copies share them. 16 bytes per value beside the text.
class JsonDocument {
 public:
  // `name` stands for the file in messages. `first_byte` is the offset of `text` within that file
  // (a header inside a larger file), so that messages give offsets in the file.
  [[nodiscard]] static JsonDocument parse(std::string name, std::string text,
                                          std::size_t first_byte = 0);
  [[nodiscard]] static JsonDocument read(const std::filesystem::path& path,
                                         std::size_t max_bytes = kJsonMaxBytes);

  [[nodiscard]] JsonNode root() const;
  [[nodiscard]] const std::string& file() const;
  [[nodiscard]] const std::string& text() const;

 private:
  explicit JsonDocument(std::shared_ptr<const JsonTree> tree) : tree_(std::move(tree)) {}

  std::shared_ptr<const JsonTree> tree_;
};

}  // namespace normcert
