#include "problem/error.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "problem/utf8.hpp"

namespace normcert {
namespace {

// Limits of the parts of a message, in bytes. A list of known names may be long, what stands in a
// hostile file may be longer.
constexpr std::size_t kPathLimit = 1000;
constexpr std::size_t kFoundLimit = 200;
constexpr std::size_t kExpectedLimit = 4000;

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

std::string escaped_byte(std::uint32_t byte) {
  return {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 0xFU]};
}

std::string escaped_code_point(std::uint32_t value) {
  std::string digits;
  for (int shift = value > 0xFFFF ? 20 : 12; shift >= 0; shift -= 4) {
    digits += kHexDigits[value >> shift & 0xFU];
  }
  return "\\u{" + digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 4)) + "}";
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    std::string next(text.substr(0, length));
    if (character.length == 0 || character.value < 0x20 || character.value == 0x7F) {
      next = escaped_byte(static_cast<unsigned char>(text[0]));
    } else if (is_deceptive(character.value)) {
      next = escaped_code_point(character.value);
    }
    if (shown.size() + next.size() > limit) return shown + "...";
    shown += next;
    text.remove_prefix(length);
  }
  return shown;
}

std::string describe(const ErrorParts& parts) {
  std::string line;
  if (!parts.file.empty()) line += printable(parts.file, kPathLimit) + ": ";
  if (!parts.place.empty()) line += printable(parts.place, kPathLimit) + ": ";
  if (!parts.found.empty()) line += "found " + printable(parts.found, kFoundLimit);
  if (!parts.expected.empty()) {
    line += parts.found.empty() ? "expected " : ", expected ";
    line += printable(parts.expected, kExpectedLimit);
  }
  if (!parts.nearest.empty()) {
    line += " (did you mean \"" + printable(parts.nearest, kFoundLimit) + "\"?)";
  }
  return line;
}

InputError::InputError(ErrorParts parts)
    : std::runtime_error(describe(parts)), parts_(std::move(parts)) {}

}  // namespace normcert
