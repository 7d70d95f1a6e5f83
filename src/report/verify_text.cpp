#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/decimal_text.hpp"
#include "report/diagnose_view.hpp"
#include "report/power_views.hpp"
#include "report/table.hpp"
#include "report/verify_view.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFoldedResults = 12;
constexpr std::size_t kFoldedReasons = 6;
constexpr std::size_t kFoldedGroups = 4;

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
    const std::string subject = text_or(reason.at("candidate"), "");
    text +=
        fmt::format("  {:<11} {}{}\n", reason.at("code").get<std::string>(),
                    subject.empty() ? "" : subject + ", ", reason.at("text").get<std::string>());
  }
  return text;
}

// What elimination found, group by group.
std::string function_text(const Json& report, bool all) {
  const auto function = report.find("function");
  if (function == report.end()) return "";
  std::string text = fmt::format("  function    {}\n", function->at("headline").get<std::string>());
  const Json& groups = function->at("groups");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!all && i == kFoldedGroups && groups.size() > kFoldedGroups + 1) {
      return text + folded(groups.size() - i, "groups of norms");
    }
    const Json& sites = groups[i].at("sites");
    if (groups.size() > 1) {
      text += "  " + sites.front().get<std::string>() +
              (sites.size() > 1 ? fmt::format(" and {} more", sites.size() - 1) : "") + "\n";
    }
    text += diagnosed_group_text(groups[i], all);
  }
  return text;
}

std::string bits_of(const Json& result) {
  const Json& rounding = result.at("equality").at("rounding");
  if (rounding.at("source").is_null()) return "-";
  const Json& bits = result.at("equality").at("bits");
  return share(bits.at("equal"), bits.at("of")) + " " + rounding.at("source").get<std::string>();
}

// Twelve digits of a 40-digit number.
std::string shortened(const std::string& exact) {
  const bool negative = exact.starts_with('-');
  return (negative ? "-" : "") + with_significant_digits(exact.substr(negative ? 1 : 0), 12);
}

// Where the largest ulp error of the judged subjects stands.
std::string worst_line(const Json& report) {
  const Json* worst = nullptr;
  double greatest = -1;
  for (const Json& r : report.at("results")) {
    if (r.at("role") == "mutant" || r.at("role") == "yardstick") continue;
    if (!r.at("judged").get<bool>()) continue;
    const Json& maximum = r.at("max_ulp_error");
    if (maximum.is_null() || !maximum.at("value").is_number()) continue;
    if (maximum.at("value").get<double>() <= greatest) continue;
    greatest = maximum.at("value").get<double>();
    worst = &r;
  }
  if (worst == nullptr) return "";
  const Json& m = worst->at("max_ulp_error");
  return fmt::format(
      "  worst       {} ulp: {} at {}, row {}, element {}: got {}, exact {}\n",
      figure(m.at("value"), 5), worst->at("candidate").get<std::string>(),
      where(*worst, "case") + (worst->at("tensor") == "residual_out" ? " residual_out" : ""),
      m.at("row").get<std::uint64_t>(), m.at("index").get<std::uint64_t>(),
      m.at("got").get<std::string>(), shortened(m.at("exact")));
}

// When lines are folded, what failed is shown first.
std::vector<const Json*> in_order_of_interest(const Json& results) {
  std::vector<const Json*> list;
  for (const Json& r : results) list.push_back(&r);
  std::ranges::stable_partition(list, [](const Json* r) {
    return r->at("verdict") == "rejected" && r->at("role") != "mutant";
  });
  std::ranges::stable_partition(list, [](const Json* r) { return r->at("role") != "mutant"; });
  return list;
}

std::string verdict_cell(const Json& result) {
  if (result.at("role") == "yardstick") return "(yardstick)";
  return result.at("judged").get<bool>() ? result.at("verdict").get<std::string>() : "measured";
}

std::string findings_text(const Json& report, bool all) {
  const Json& findings = report.at("findings");
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!all && i == kFoldedReasons && findings.size() > kFoldedReasons + 1) {
      return text + folded(findings.size() - i, "findings");
    }
    text += fmt::format(
        "  {:<11} {}{}\n", findings[i].at("level").get<std::string>(),
        findings[i].at("site").is_null() ? "" : findings[i].at("site").get<std::string>() + ": ",
        findings[i].at("text").get<std::string>());
  }
  return text;
}

std::string results_text(const Json& report, bool all) {
  const Json& results = report.at("results");
  Table table{{"subject", "case", "verdict", "elements", "max rel", "max ulp", "same bits as"}, {}};
  for (const Json* item : in_order_of_interest(results)) {
    const Json& r = *item;
    if (!all && table.rows.size() == kFoldedResults && results.size() > kFoldedResults + 1) break;
    const bool is_y = r.at("tensor") == "y";
    table.rows.push_back(
        {r.at("candidate").get<std::string>(),
         (all ? r.at("case").get<std::string>() : where(r, "case")) + (is_y ? "" : " residual_out"),
         verdict_cell(r), share(r.at("compared"), r.at("expected")),
         error_figure(r.at("max_rel_error")), error_figure(r.at("max_ulp_error")), bits_of(r)});
  }
  std::string text = text_table(table, 2);
  if (table.rows.size() < results.size()) {
    text += folded(results.size() - table.rows.size(), "results");
  }
  return text;
}

// Without any result: what a port of this model will be held to, and how to get it judged.
std::string held_to(const Json& report) {
  const Json& model = report.at("model");
  if (model.is_null() || !report.at("results").empty()) return "";
  Table table{{"norm", "width", "epsilon", "gain", "source recipe"}, {}};
  for (const Json& site : model.at("sites")) {
    const std::string offset = text_or(site.at("weight_offset"), "?");
    table.rows.push_back({site.at("name").get<std::string>(),
                          site.at("dim").is_null() ? "not stated" : figure(site.at("dim")),
                          site.at("epsilon").at("text").get<std::string>(),
                          offset == "0" ? "weight" : offset + " + weight",
                          text_or(site.at("recipe"), "none known")});
  }
  return "\n  A port of this model will be held to:\n" + text_table(table, 2) +
         "\n  To get one judged: capture x and y of its norms (<site>.x, <site>.y in a "
         ".safetensors\n"
         "  file) and give it to this command, for other limits with --atol and --rtol, "
         "--max-ulp,\n"
         "  or --require bits.\n";
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
  // The headline begins with the verdict, which stands before it in capitals.
  const std::string value = verdict.at("value");
  std::string rest = report.at("headline").get<std::string>().substr(value.size());
  rest.erase(0, rest.find_first_not_of(",: "));
  std::string text = fmt::format("{}   {}\n", upper(value), rest);
  for (const std::string& asked : asked_for(report)) text += "  asked       " + asked + "\n";
  if (const std::string words = declared(report); !words.empty()) {
    text += "  declared    " + words + "\n";
  }
  for (const Json& item : report.at("overrides")) {
    text += fmt::format(
        "  override    {} {}{}\n", item.at("option").get<std::string>(),
        item.at("value").get<std::string>(),
        item.at("replaces").is_null() ? "" : " replaces " + item.at("replaces").get<std::string>());
  }
  text += reasons_text(report, all);
  text += function_text(report, all);
  text += power_text(report, all);
  text += findings_text(report, all);
  text += claims_text(report);
  text += expectation_line(report);
  text += controls_text(report);
  text += worst_line(report);
  text += held_to(report);
  if (!report.at("results").empty()) text += "\n" + results_text(report, all);
  for (const Json& item : report.at("not_tested")) {
    text += fmt::format("  not tested  {}\n", item.get<std::string>());
  }
  std::string part;
  if (report.contains("part")) part = " (" + part_words(report) + ")";
  text += fmt::format("{}{}  {}  {} elements  exit {}\n", value, part,
                      verdict.at("level").get<std::string>(), grouped(judged_elements(report)),
                      report.at("exit_status").get<int>());
  return text;
}

}  // namespace normcert
