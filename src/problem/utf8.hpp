// UTF-8, one character at a time, for whatever has to escape text before it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace normcert {

struct Utf8Character {
  std::uint32_t value = 0;  // the code point
  std::size_t length = 0;   // bytes; 0 where no well-formed sequence begins
};

// The character that `text` begins with; well-formed as Unicode 15, table 3-7 has it (no
// surrogates, no overlong forms). Requires a text that is not empty.
[[nodiscard]] Utf8Character first_character(std::string_view text);

// Characters that move the cursor, change the direction of what follows, or show nothing at all:
// C0, DEL and C1 controls, bidirectional controls, invisible format characters.
[[nodiscard]] bool is_deceptive(std::uint32_t code_point);

}  // namespace normcert
