#include "report/markdown_footer.hpp"

#include <nlohmann/json.hpp>

#include "report/markdown_text.hpp"
#include "report/table.hpp"

namespace normcert {

std::string markdown_footer(const nlohmann::ordered_json& report) {
  std::string text = "## How to make this again\n\n";
  text += markdown_code_block(report.at("rerun").get<std::string>());
  const auto& tool = report.at("tool");
  text += "\nMade by " + markdown_escaped(tool.at("name").get<std::string>()) + ' ' +
          markdown_escaped(tool.at("version").get<std::string>()) + ".\n";
  if (!report.contains("environment")) return text;
  Table table{{"environment", ""}, {}};
  for (const auto& [name, value] : report.at("environment").items()) {
    table.rows.push_back(
        {name, value.is_null() ? "not known" : markdown_code(value.get<std::string>(), 1000)});
  }
  return text + '\n' + markdown_table(table);
}

}  // namespace normcert
