// What every fuzzer holds a reader to: a refusal is told in printable words that name the file,
// what was found and what was expected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "problem/error.hpp"

namespace normcert {

// A broken promise ends the fuzzer with the input that broke it.
inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

// printable() changes exactly what is not valid UTF-8 or must not be shown.
inline bool is_printable(const std::string& text) {
  constexpr std::size_t kEverything = std::size_t{1} << 30;
  return printable(text, kEverything) == text;
}

inline void check_message(const InputError& error, std::string_view file, std::size_t longest) {
  const std::string message = error.what();
  require(is_printable(message));
  require(message.starts_with(std::string(file) + ": "));
  require(message.size() < longest);
  require(!error.parts().found.empty() && !error.parts().expected.empty());
}

}  // namespace normcert
