#include "report/cases_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/markdown_footer.hpp"
#include "report/markdown_text.hpp"
#include "report/table.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

Table case_table(const Json& report, bool markdown) {
  Table table{{"case", "class", "rows x width", "dtype"}, {}};
  for (const Json& c : report.at("cases")) {
    const std::string id = c.at("id");
    table.rows.push_back({markdown ? markdown_code(id) : id, c.at("class").get<std::string>(),
                          fmt::format("{} x {}", c.at("rows").get<std::uint64_t>(),
                                      c.at("dim").get<std::uint64_t>()),
                          c.at("dtype").get<std::string>()});
  }
  return table;
}

std::string text_view(const Json& report, const TextStyle&) {
  std::string text = fmt::format("{} cases in {}\n", report.at("cases").size(),
                                 report.at("output").get<std::string>());
  text += text_table(case_table(report, false), 2);
  for (const Json& omitted : report.at("omitted")) {
    text += fmt::format("  left out    {}\n", omitted.get<std::string>());
  }
  text +=
      "  next        run the kernel on every <case>.x with <case>.weight, write <case>.y, then\n";
  return text + fmt::format("              {}\n", report.at("next").get<std::string>());
}

std::string markdown_view(const Json& report) {
  std::string text = fmt::format("# {} cases in {}\n\n", report.at("cases").size(),
                                 markdown_code(report.at("output").get<std::string>()));
  text += markdown_table(case_table(report, true)) + "\n";
  for (const Json& omitted : report.at("omitted")) {
    text += "- left out: " + markdown_escaped(omitted.get<std::string>(), 1000) + "\n";
  }
  text += "\nRun the kernel on every `<case>.x` with `<case>.weight`, write `<case>.y`, then\n\n";
  text += markdown_code_block(report.at("next").get<std::string>()) + "\n";
  return text + markdown_footer(report);
}

}  // namespace

Json cases_report_json(const Envelope& envelope, const CasesReport& report) {
  Json json = envelope_json(envelope);
  json["output"] = report.output;
  json["normcert_cases"] = report.normcert_cases;
  json["cases"] = Json::array();
  for (const WrittenCase& c : report.cases) {
    json["cases"].push_back({{"id", c.id},
                             {"class", c.class_name},
                             {"site", c.site},
                             {"rows", c.rows},
                             {"dim", c.dim},
                             {"dtype", c.dtype},
                             {"sha256", c.sha256}});
  }
  json["omitted"] = report.omitted;
  json["next"] = report.next;
  return json;
}

const ReportViews kCasesViews = {.text = text_view, .markdown = markdown_view};

}  // namespace normcert
