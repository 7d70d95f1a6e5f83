// Text from files, file names and options inside Markdown, so that it is shown and never obeyed: no
// markup, no HTML, no links, no mentions, no end of a table cell.
#pragma once

#include <string>
#include <string_view>

namespace normcert {

// As running text. Goes through printable() first; `limit` is its limit.
[[nodiscard]] std::string markdown_escaped(std::string_view text, std::size_t limit = 200);

// As a code span: for names, paths, values and commands. Fit for table cells.
[[nodiscard]] std::string markdown_code(std::string_view text, std::size_t limit = 200);

// As a fenced block of code, several lines allowed (each goes through printable()).
[[nodiscard]] std::string markdown_code_block(std::string_view text);

}  // namespace normcert
