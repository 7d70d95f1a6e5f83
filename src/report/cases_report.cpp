#include "report/cases_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "problem/error.hpp"
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

constexpr std::size_t kShownOmissions = 4;
constexpr std::size_t kLineLimit = 10'000;  // of a path or a command

std::string count_of(const Json& report) {
  const std::size_t count = report.at("cases").size();
  return fmt::format("{} case{}", count, count == 1 ? "" : "s");
}

std::string text_view(const Json& report, const TextStyle& style) {
  const std::string separation =
      report.contains("separation") ? separation_text(report.at("separation")) : "";
  if (report.at("output").is_null()) return separation + "no file was written\n";
  std::string text =
      separation +
      fmt::format("{} in {}\n", count_of(report),
                  printable(report.at("output").get_ref<const std::string&>(), kLineLimit));
  text += text_table(case_table(report, false), 2);
  const Json& omitted = report.at("omitted");
  const bool folds = !style.all && omitted.size() > kShownOmissions;
  const std::size_t shown = folds ? kShownOmissions : omitted.size();
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("  left out    {}\n", printable(omitted[i].get_ref<const std::string&>()));
  }
  if (folds) {
    text += fmt::format("  + {} more left out; --all shows them\n", omitted.size() - shown);
  }
  text +=
      "  next        run the kernel on every <case>.x with <case>.weight, write <case>.y, then\n";
  return text + fmt::format("              {}\n",
                            printable(report.at("next").get_ref<const std::string&>(), kLineLimit));
}

std::string markdown_view(const Json& report) {
  const std::string separation =
      report.contains("separation")
          ? "# Inputs that separate two recipes\n\n" + separation_markdown(report.at("separation"))
          : "";
  if (report.at("output").is_null()) {
    return separation + "No file was written.\n" + markdown_footer(report);
  }
  const std::string mark = separation.empty() ? "#" : "##";
  std::string text = separation + mark;
  text += fmt::format(" {} in {}\n\n", count_of(report),
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
  const bool is_written = !report.output.empty();
  json["output"] = is_written ? Json(report.output) : Json();
  json["normcert_cases"] = is_written ? Json(report.normcert_cases) : Json();
  if (report.separation) json["separation"] = separation_json(*report.separation);
  json["cases"] = Json::array();
  for (const WrittenCase& c : report.cases) {
    json["cases"].push_back(
        {{"id", c.id},
         {"class", c.class_name},
         {"site", c.site},
         {"rows", c.rows},
         {"dim", c.dim},
         {"dtype", c.dtype},
         {"weight_dtype", c.weight_dtype.empty() ? Json() : Json(c.weight_dtype)},
         {"epsilon", c.epsilon},
         {"weight_offset", c.weight_offset},
         {"sha256", c.sha256}});
  }
  json["omitted"] = report.omitted;
  json["next"] = is_written ? Json(report.next) : Json();
  return json;
}

const ReportViews kCasesViews = {.text = text_view, .markdown = markdown_view};

}  // namespace normcert
