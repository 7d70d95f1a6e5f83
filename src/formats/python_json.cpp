#include "formats/python_json.hpp"

#include <array>
#include <string_view>

namespace normcert {
namespace {

constexpr std::array<std::string_view, 3> kWords = {"NaN", "-Infinity", "Infinity"};

// Offset behind the string that begins at `quote`.
std::size_t end_of_string(std::string_view text, std::size_t quote) {
  std::size_t i = quote + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

}  // namespace

std::map<std::size_t, std::string> replace_python_numbers(std::string& text) {
  std::map<std::size_t, std::string> words;
  std::size_t i = 0;
  while ((i = text.find_first_of("\"N-I", i)) < text.size()) {
    if (text[i] == '"') {
      i = end_of_string(text, i);
      continue;
    }
    std::size_t length = 1;
    for (const std::string_view word : kWords) {
      if (text.compare(i, word.size(), word) != 0) continue;
      words.emplace(i, word);
      length = word.size();
      text[i] = text[i + length - 1] = '"';
      break;
    }
    i += length;
  }
  return words;
}

}  // namespace normcert
