// Whether a text is UTF-8, as the C library's converter sees it.
#pragma once

#include <iconv.h>

#include <string>
#include <string_view>

namespace normcert {

inline bool is_utf8(std::string_view text) {
  const iconv_t converter = iconv_open("UTF-32LE", "UTF-8");
  std::string input(text);
  std::string output(4 * text.size() + 4, '\0');
  char* from = input.data();
  char* to = output.data();
  std::size_t from_left = input.size();
  std::size_t to_left = output.size();
  const bool converted =
      iconv(converter, &from, &from_left, &to, &to_left) != static_cast<std::size_t>(-1);
  iconv_close(converter);
  return converted && from_left == 0;
}

}  // namespace normcert
