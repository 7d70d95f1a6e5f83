#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/table.hpp"
#include "report/verify_view.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFoldedResults = 12;
constexpr std::size_t kFoldedReasons = 6;

std::string folded(std::size_t more, const std::string& what) {
  return fmt::format("  + {} more {}; --all shows them\n", more, what);
}

std::string reasons_text(const Json& report, bool all) {
  const Json& reasons = report.at("verdict").at("reasons");
  std::string text;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (!all && i == kFoldedReasons && reasons.size() > kFoldedReasons + 1) {
      text += folded(reasons.size() - i, "reasons");
      break;
    }
    const Json& reason = reasons[i];
    std::string where;
    for (const char* key : {"candidate", "site"}) {
      if (!reason.at(key).is_null()) where += reason.at(key).get<std::string>() + " ";
    }
    text += fmt::format("  {:<12}{}{}\n", reason.at("code").get<std::string>() + " ", where,
                        reason.at("text").get<std::string>());
  }
  return text;
}

std::string results_text(const Json& report, bool all) {
  const Json& results = report.at("results");
  Table table{{"subject", "case", "verdict", "elements", "correctly rounded", "max abs", "max rel",
               "max ulp"},
              {}};
  for (const Json& r : results) {
    if (!all && table.rows.size() == kFoldedResults && results.size() > kFoldedResults + 1) break;
    const bool is_y = r.at("tensor") == "y";
    table.rows.push_back({r.at("candidate").get<std::string>(),
                          r.at("case").get<std::string>() + (is_y ? "" : " residual_out"),
                          r.at("verdict").get<std::string>(),
                          share(r.at("compared"), r.at("expected")),
                          grouped(r.at("correctly_rounded").get<std::uint64_t>()),
                          error_figure(r.at("max_abs_error")), error_figure(r.at("max_rel_error")),
                          error_figure(r.at("max_ulp_error"))});
  }
  std::string text = text_table(table, 2);
  if (table.rows.size() < results.size()) {
    text += folded(results.size() - table.rows.size(), "results");
  }
  return text;
}

std::string expectation_line(const Json& report) {
  std::uint64_t checked = 0;
  std::uint64_t failed = 0;
  for (const Json& c : report.at("cases")) {
    if (c.at("expectation").is_null()) continue;
    checked += c.at("expectation").at("checked").get<std::uint64_t>();
    failed += c.at("expectation").at("failures").size();
  }
  if (checked == 0) return "";
  return fmt::format("  expected    {} numbers compared with the exact result, {} do not hold\n",
                     grouped(checked), grouped(failed));
}

std::string claims_text(const Json& report) {
  std::string text;
  for (const Json& claim : report.at("claims")) {
    text += fmt::format("  claim {:<6}{}: {}{}\n", claim.at("number").get<int>(),
                        claim.at("statement").get<std::string>(),
                        claim.at("outcome").get<std::string>(),
                        claim.at("holds").get<bool>() ? "" : " - BUT THE CASES DO NOT SHOW IT");
  }
  return text;
}

std::string controls_text(const Json& report) {
  std::string text;
  for (const Json& control : report.at("controls")) {
    const bool rejected = control.at("rejected").get<bool>();
    text += fmt::format(
        "  control     {} {}\n", control.at("name").get<std::string>(),
        rejected ? "rejected, as it must be: " + text_or(control.at("by"), "") : "NOT rejected");
  }
  return text;
}

std::uint64_t judged_elements(const Json& report) {
  std::uint64_t elements = 0;
  for (const Json& r : report.at("results")) {
    if (r.at("role") == "observed" || r.at("role") == "candidate") {
      elements += r.at("compared").get<std::uint64_t>();
    }
  }
  return elements;
}

}  // namespace

std::string verify_text(const Json& report, bool all) {
  const Json& verdict = report.at("verdict");
  std::string text = fmt::format("{}   {}\n", upper(verdict.at("value")),
                                 report.at("headline").get<std::string>());
  for (const std::string& asked : asked_for(report)) text += "  asked       " + asked + "\n";
  text += reasons_text(report, all);
  text += claims_text(report);
  text += expectation_line(report);
  text += controls_text(report);
  if (!report.at("results").empty()) text += "\n" + results_text(report, all);
  for (const Json& item : report.at("not_tested")) {
    text += fmt::format("  not tested  {}\n", item.get<std::string>());
  }
  text += fmt::format("{}  {}  {} elements  exit {}\n", verdict.at("value").get<std::string>(),
                      verdict.at("level").get<std::string>(), grouped(judged_elements(report)),
                      report.at("exit_status").get<int>());
  return text;
}

}  // namespace normcert
