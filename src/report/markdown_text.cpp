#include "report/markdown_text.hpp"

#include <algorithm>

#include "problem/error.hpp"

namespace normcert {
namespace {

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Means nothing anywhere in a line. A colon would make an address, a bar end a table cell.
bool is_plain(char c) {
  constexpr std::string_view kPlain = " ,;'\"/=%";
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || is_digit(c) || (c & 0x80) != 0 || kPlain.find(c) != std::string_view::npos;
}

// Means something at the start of a line only, where it begins a list, a rule or a heading.
bool is_plain_inside(char c) { return std::string_view("-+()").find(c) != std::string_view::npos; }

// A numeric character reference can be no markup. GitHub looks for mentions and issue numbers after
// it has resolved references, so that something must stand between the sign and the word.
std::string reference(char c) {
  const bool mentions = c == '@' || c == '#';
  return "&#" + std::to_string(static_cast<int>(c)) + (mentions ? ";<!-- -->" : ";");
}

}  // namespace

std::string markdown_escaped(std::string_view text, std::size_t limit) {
  std::string escaped;
  const std::string shown = printable(text, limit);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const bool decimal_point = c == '.' && i > 0 && i + 1 < shown.size() &&
                               is_digit(shown[i - 1]) && is_digit(shown[i + 1]);
    const bool plain = is_plain(c) || decimal_point || (i > 0 && is_plain_inside(c));
    escaped += plain ? std::string(1, c) : reference(c);
  }
  return escaped;
}

std::string markdown_code(std::string_view text, std::size_t limit) {
  const std::string shown = printable(text, limit);
  // What a pair of backticks cannot hold: themselves, a bar in a table, blanks at the ends,
  // nothing.
  const bool simple = !shown.empty() && shown.find_first_of("`|") == std::string::npos &&
                      shown.front() != ' ' && shown.back() != ' ';
  if (simple) return '`' + shown + '`';
  return "<code>" + markdown_escaped(shown, std::string::npos) + "</code>";
}

std::string markdown_code_block(std::string_view text) {
  constexpr std::size_t kLineLimit = 20000;
  const std::string fence(std::max<std::size_t>(longest_run(text, '`') + 1, 3), '`');
  std::string block = fence + '\n';
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    block += printable(text.substr(0, end), kLineLimit) + '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return block + fence + '\n';
}

}  // namespace normcert
