// The flat tree behind JsonDocument and JsonNode; nobody else includes this.
//
// All values lie in one vector. The children of a container are contiguous and stand before it, the
// root is the last. Nothing is nested, so that neither copying nor destroying recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/json_text.hpp"

namespace normcert {

struct JsonTree {
  struct Value {
    std::uint32_t offset;  // of the first byte in `text`
    // Containers: index of the first child. Strings with escapes: index in `decoded`.
    std::uint32_t first;
    // Scalars: bytes of the token. Arrays: elements. Objects: members, each of which is two
    // children, its name (a string) and its value.
    std::uint32_t count;
    JsonKind kind;
    bool has_escapes;
  };
  static_assert(sizeof(Value) == 16);

  // Objects with more members than this have an entry in `members_by_name`.
  static constexpr std::uint32_t kLinearSearchLimit = 16;

  std::string file;
  std::string text;  // shorter than 4 GiB
  std::size_t first_byte = 0;
  std::vector<Value> values;
  std::vector<std::string> decoded;
  // Key: `first` of an object. Numbers of its members (0, 1, ...), sorted by their names.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members_by_name;

  [[nodiscard]] std::string_view token(const Value& scalar) const {
    return std::string_view(text).substr(scalar.offset, scalar.count);
  }
  [[nodiscard]] std::string_view string(const Value& value) const {
    if (value.has_escapes) return decoded[value.first];
    return std::string_view(text).substr(value.offset + 1, value.count - 2);
  }
};

struct TextPosition {
  std::size_t line;    // from 1
  std::size_t column;  // from 1, in characters
};

// Reads `text` up to `offset`.
[[nodiscard]] TextPosition text_position(std::string_view text, std::size_t offset);

// One step of a path: .name, ["an odd name"]; no dot at the start of a path.
void append_member_to_path(std::string& path, std::string_view name);
void append_index_to_path(std::string& path, std::size_t index);

// "cases[3].dtype, line 12"
[[nodiscard]] std::string json_place(const std::string& path, const TextPosition& position);

// Throws InputError. `text` is moved into the tree.
[[nodiscard]] JsonTree parse_json_tree(std::string file, std::string text, std::size_t first_byte);

}  // namespace normcert
