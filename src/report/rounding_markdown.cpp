#include "report/rounding_markdown.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/markdown_text.hpp"
#include "report/table.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

std::string code(const std::string& text) { return markdown_code(text, 1000); }

std::string number(const Json& count) { return std::to_string(count.get<std::uint64_t>()); }

std::vector<const Json*> rounded_otherwise(const Json& report) {
  std::vector<const Json*> list;
  for (const Json& r : report.at("results")) {
    const Json& rounding = r.at("equality").at("rounding");
    const bool is_judged = r.at("role") == "observed" || r.at("role") == "candidate";
    if (!is_judged || r.at("tensor") != "y" || rounding.at("source").is_null()) continue;
    if (rounding.at("same") != "same") list.push_back(&r);
  }
  return list;
}

std::string rounding_cell(const Json& rounding) {
  const Json& row = rounding.at("first_other_row");
  return rounding.at("same").get<std::string>() + (row.is_null() ? "" : ", row " + number(row));
}

std::string range_cell(const Json& range) {
  if (range.is_null()) return "nothing gives it";
  return figure(range.at("least"), 9) + " to " + figure(range.at("greatest"), 9) + ", " +
         code(range.at("least_hex")) + " to " + code(range.at("greatest_hex"));
}

Table explanations(const std::vector<const Json*>& results) {
  Table table{{"subject", "case", "rounded as the source", "rounded as"}, {}};
  for (const Json* r : results) {
    const Json& rounding = r->at("equality").at("rounding");
    std::string as;
    for (const Json& name : rounding.at("as")) as += (as.empty() ? "" : "; ") + code(name);
    table.rows.push_back({code(r->at("candidate")), code(where(*r, "case")),
                          rounding_cell(rounding), as.empty() ? "no class that is known" : as});
  }
  return table;
}

Table contradictions(const std::vector<const Json*>& results) {
  Table table{{"subject", "case", "row, element", "x", "weight", "got", "scalar", "it needs",
               "orders of the sum lead to"},
              {}};
  for (const Json* r : results) {
    const Json& rounding = r->at("equality").at("rounding");
    const Json& contradiction = rounding.at("contradiction");
    if (contradiction.is_null()) continue;
    for (const Json& element : contradiction.at("elements")) {
      table.rows.push_back(
          {code(r->at("candidate")), code(where(*r, "case")),
           number(rounding.at("first_other_row")) + ", " + number(element.at("index")),
           input_cell(element), code(text_or(element.at("weight"), "none")),
           code(element.at("got")), contradiction.at("scalar").get<std::string>(),
           range_cell(element.at("needs")), range_cell(contradiction.at("allowed"))});
    }
  }
  return table;
}

}  // namespace

std::string input_cell(const Json& element) {
  std::string text = markdown_code(element.at("x").get<std::string>());
  const Json& residual = element.at("residual");
  const Json& gate = element.at("gate");
  if (!residual.is_null()) text += " + " + markdown_code(residual.get<std::string>());
  if (!gate.is_null()) text += ", gate " + markdown_code(gate.get<std::string>());
  return text;
}

std::string rounding_markdown(const Json& report) {
  if (report.at("verdict").at("level") != "rounding") return "";
  const std::vector<const Json*> results = rounded_otherwise(report);
  if (results.empty()) return "";
  std::string text =
      "\n## Where the rounding is not the source's\n\n"
      "Which ways to compute the declared function give these outputs (see *conforming* below).\n"
      "\n" +
      markdown_table(explanations(results)) + "\n";
  const Table table = contradictions(results);
  if (table.rows.empty()) return text;
  return text +
         "\nElements of one row that contradict each other: through the source recipe's later "
         "steps, each\noutput follows from the values of the row's scalar in its interval and from "
         "no other.\n\n" +
         markdown_table(table) + "\n";
}

}  // namespace normcert
