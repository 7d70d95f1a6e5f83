#include "problem/utf8.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace normcert {

Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeastOfLength = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeastOfLength[length] || value > 0x10FFFF || surrogate) return {};
  return {value, length};
}

bool is_deceptive(std::uint32_t code_point) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  constexpr Range kRanges[] = {
      {0x00, 0x1F},      // C0
      {0x7F, 0x9F},      // DEL, C1
      {0xAD, 0xAD},      // soft hyphen
      {0x61C, 0x61C},    // Arabic letter mark
      {0x200B, 0x200B},  // zero width space
      {0x200E, 0x200F},  // left-to-right and right-to-left mark
      {0x2028, 0x202E},  // line and paragraph separator, embeddings and overrides
      {0x2060, 0x206F},  // invisible operators, isolates, deprecated format characters
      {0xFEFF, 0xFEFF},  // zero width no-break space
      {0xFFF9, 0xFFFB},  // interlinear annotation
      {0xE0000, 0xE007F},
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges), [=](const Range& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

}  // namespace normcert
