#include "report/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "problem/utf8.hpp"

namespace normcert {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLineLimit = 100;
constexpr std::string_view kHexDigits = "0123456789abcdef";

void append_code_unit(std::string& text, std::uint32_t unit) {
  text += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += kHexDigits[unit >> shift & 0xFU];
}

void append_escape(std::string& text, std::uint32_t code_point) {
  if (code_point == '\n') {
    text += "\\n";
  } else if (code_point == '\t') {
    text += "\\t";
  } else if (code_point == '\r') {
    text += "\\r";
  } else if (code_point <= 0xFFFF) {
    append_code_unit(text, code_point);
  } else {  // a surrogate pair
    append_code_unit(text, 0xD800 + ((code_point - 0x10000) >> 10));
    append_code_unit(text, 0xDC00 + ((code_point - 0x10000) & 0x3FFU));
  }
}

void append_string(std::string& text, std::string_view value) {
  text += '"';
  while (!value.empty()) {
    const Utf8Character character = first_character(value);
    if (character.length == 0) {
      const auto byte = static_cast<unsigned char>(value[0]);
      text += "\\\\x";
      text += kHexDigits[byte >> 4];
      text += kHexDigits[byte & 0xFU];
      value.remove_prefix(1);
      continue;
    }
    if (is_deceptive(character.value)) {
      append_escape(text, character.value);
    } else {
      if (character.value == '"' || character.value == '\\') text += '\\';
      text += value.substr(0, character.length);
    }
    value.remove_prefix(character.length);
  }
  text += '"';
}

template <typename Number>
void append_number(std::string& text, Number value) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

void append_double(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "\"nan\"";
  } else if (std::isinf(value)) {
    text += value < 0 ? "\"-inf\"" : "\"inf\"";
  } else {
    append_number(text, value);
  }
}

void append_scalar(std::string& text, const ordered_json& value) {
  if (value.is_string()) {
    append_string(text, value.get_ref<const std::string&>());
  } else if (value.is_boolean()) {
    text += value.get<bool>() ? "true" : "false";
  } else if (value.is_number_unsigned()) {
    append_number(text, value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    append_number(text, value.get<std::int64_t>());
  } else if (value.is_number_float()) {
    append_double(text, value.get<double>());
  } else {
    text += "null";
  }
}

void append_key(std::string& text, const ordered_json& container,
                const ordered_json::const_iterator& member) {
  if (!container.is_object()) return;
  append_string(text, member.key());
  text += ": ";
}

bool holds_only_scalars(const ordered_json& container) {
  for (const ordered_json& value : container) {
    if (value.is_structured() && !value.empty()) return false;
  }
  return true;
}

void append_value(std::string& text, const ordered_json& value, std::size_t indent);

void append_members(std::string& text, const ordered_json& container, std::string_view separator,
                    std::size_t indent) {
  for (auto member = container.begin(); member != container.end(); ++member) {
    if (member != container.begin()) text += separator;
    append_key(text, container, member);
    append_value(text, *member, indent);
  }
}

void append_container(std::string& text, const ordered_json& container, std::size_t indent) {
  const bool object = container.is_object();
  const std::size_t start = text.size();
  text += object ? '{' : '[';
  if (holds_only_scalars(container)) {
    append_members(text, container, ", ", indent);
    text += object ? '}' : ']';
    const std::size_t line = text.rfind('\n', start) + 1;  // npos + 1 is 0
    if (text.size() - line <= kLineLimit) return;
    text.resize(start + 1);
  }
  const std::string line_break = "\n" + std::string(indent + 2, ' ');
  text += line_break;
  append_members(text, container, "," + line_break, indent + 2);
  text += '\n' + std::string(indent, ' ');
  text += object ? '}' : ']';
}

void append_value(std::string& text, const ordered_json& value, std::size_t indent) {
  if (value.is_structured()) {
    append_container(text, value, indent);
  } else {
    append_scalar(text, value);
  }
}

}  // namespace

std::string json_text(const ordered_json& value) {
  std::string text;
  append_value(text, value, 0);
  return text + '\n';
}

}  // namespace normcert
