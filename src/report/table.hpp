// Tables for people, in plain text and in Markdown.
#pragma once

#include <string>
#include <vector>

namespace normcert {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};

// Columns padded to equal width (counted in characters) and two blanks apart, every line indented
// by `indent` blanks, no blanks at the ends of lines. Cells go through printable().
[[nodiscard]] std::string text_table(const Table& table, std::size_t indent);

// A GitHub-flavoured Markdown table. Cells are Markdown already: see report/markdown_text.hpp for
// what makes them of text from elsewhere.
[[nodiscard]] std::string markdown_table(const Table& table);

}  // namespace normcert
