#include "report/table.hpp"

#include <algorithm>
#include <string_view>

#include "problem/error.hpp"

namespace normcert {
namespace {

// Characters of valid UTF-8: every byte but the continuing ones begins one.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

using Row = std::vector<std::string>;

Row shown(const Row& row) {
  Row cells;
  for (const std::string& cell : row) cells.push_back(printable(cell));
  return cells;
}

void append_markdown_row(std::string& text, const Row& row) {
  text += '|';
  for (const std::string& cell : row) text += ' ' + cell + " |";
  text += '\n';
}

}  // namespace

std::string text_table(const Table& table, std::size_t indent) {
  std::vector<Row> rows = {shown(table.header)};
  for (const Row& row : table.rows) rows.push_back(shown(row));
  std::vector<std::size_t> widths(table.header.size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string markdown_table(const Table& table) {
  std::string text;
  append_markdown_row(text, table.header);
  append_markdown_row(text, Row(table.header.size(), "---"));
  for (const Row& row : table.rows) append_markdown_row(text, row);
  return text;
}

}  // namespace normcert
