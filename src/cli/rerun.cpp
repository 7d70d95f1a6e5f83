#include "cli/rerun.hpp"

#include <algorithm>

#include "problem/utf8.hpp"

namespace normcert {
namespace {

bool is_bare(char c) {
  constexpr std::string_view kBare = "_-+=.,:/@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kBare.find(c) != std::string_view::npos;
}

void append_byte(std::string& quoted, char byte) {
  constexpr std::string_view kOctal = "01234567";
  const auto value = static_cast<unsigned char>(byte);
  quoted += {'\\', kOctal[value >> 6], kOctal[value >> 3 & 7], kOctal[value & 7]};
}

// In $'...' every byte can be written; octal escapes end after three digits.
std::string ansi_quoted(std::string_view text) {
  std::string quoted = "$'";
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    const bool shown = character.length != 0 && !is_deceptive(character.value);
    for (const char byte : text.substr(0, length)) {
      if (!shown) {
        append_byte(quoted, byte);
      } else {
        if (byte == '\'' || byte == '\\') quoted += '\\';
        quoted += byte;
      }
    }
    text.remove_prefix(length);
  }
  return quoted + '\'';
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (character.length == 0 || is_deceptive(character.value)) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

void append_option(std::string& line, const Option& option) {
  const std::string name = ' ' + std::string(option.name);
  if (const auto* flag = std::get_if<bool*>(&option.target)) {
    if (**flag) line += name;
  } else if (const auto* text = std::get_if<std::optional<std::string>*>(&option.target)) {
    if (**text) line += name + ' ' + shell_word(***text);
  } else if (const auto* pair = std::get_if<std::optional<TextPair>*>(&option.target)) {
    if (**pair)
      line += name + ' ' + shell_word((**pair)->first) + ' ' + shell_word((**pair)->second);
  } else {
    for (const std::string& value : *std::get<std::vector<std::string>*>(option.target)) {
      line += name + ' ' + shell_word(value);
    }
  }
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!is_printable(text)) return ansi_quoted(text);
  if (!text.empty() && std::ranges::all_of(text, is_bare)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::string rerun_line(std::string_view command, const OptionList& options,
                       const SharedOptionTexts& shared) {
  std::string line = "normcert " + std::string(command);
  for (const Option& option : options.options()) append_option(line, option);
  if (shared.seed) line += " --seed " + shell_word(*shared.seed);
  if (!options.positionals()) return line;
  const auto& words = *std::get<std::vector<std::string>*>(options.positionals()->target);
  const bool mark = std::ranges::any_of(words, [](const std::string& w) { return w[0] == '-'; });
  if (mark) line += " --";
  for (const std::string& word : words) line += ' ' + shell_word(word);
  return line;
}

}  // namespace normcert
