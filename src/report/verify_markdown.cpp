#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/diagnose_view.hpp"
#include "report/markdown_footer.hpp"
#include "report/markdown_text.hpp"
#include "report/power_views.hpp"
#include "report/rounding_markdown.hpp"
#include "report/table.hpp"
#include "report/verify_view.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const Json& report) : report_(report) {}

  std::string run() {
    verdict();
    judged();
    claims();
    results();
    function();
    text_ += power_markdown(report_);
    text_ += rounding_markdown(report_);
    yardsticks();
    worst_elements();
    controls();
    expectations();
    rows();
    refused();
    findings();
    not_tested();
    reference();
    definitions();
    repeat();
    return std::move(text_);
  }

 private:
  void line(const std::string& text = "") { text_ += text + "\n"; }
  void heading(const std::string& text) {
    line();
    line("## " + text);
    line();
  }
  void bullet(const std::string& text) { line("- " + text); }
  static std::string code(const std::string& text) { return markdown_code(text, 1000); }
  static std::string escaped(const std::string& text) { return markdown_escaped(text, 1000); }

  void verdict() {
    const bool is_part = report_.contains("part");
    line("# " + upper(report_.at("verdict").at("value")) +
         (is_part ? " in " + part_words(report_) : "") + ": RMSNorm port against the exact result");
    line();
    line("**" + escaped(report_.at("headline")) + "** (exit status " +
         std::to_string(report_.at("exit_status").get<int>()) + ")");
    const Json& reasons = report_.at("verdict").at("reasons");
    if (!reasons.empty()) line();
    for (const Json& reason : reasons) {
      const std::string subject = text_or(reason.at("candidate"), "");
      bullet((subject.empty() ? "" : code(subject) + ", ") + escaped(reason.at("text")) + " (" +
             code(reason.at("code")) + ")");
    }
  }

  void judged() {
    heading("What was asked");
    for (const std::string& asked : asked_for(report_)) bullet(code(asked));
    const Json& model = report_.at("model");
    if (!model.is_null() && !model.at("sites").empty()) {
      bullet("model: " + code(text_or(model.at("source"), "given by options")) + ", type " +
             code(text_or(model.at("model_type"), "not stated")) + ", " +
             std::to_string(model.at("sites").size()) +
             " norms; declared: " + escaped(declared(report_)));
    }
    const Json& coverage = report_.at("coverage");
    if (!coverage.is_null()) {
      bullet("coverage: " + share(coverage.at("judged"), coverage.at("sites_in_model")) +
             " norms of the model");
      for (const Json& missing : coverage.at("not_judged")) {
        bullet("not judged: " + code(missing.at("site")) + ", " + escaped(missing.at("why")));
      }
    }
  }

  void claims() {
    if (report_.at("claims").empty()) return;
    heading("Published statements that were checked");
    Table table{{"#", "statement", "how it is checked", "outcome", "the cases show it"}, {}};
    for (const Json& claim : report_.at("claims")) {
      table.rows.push_back({std::to_string(claim.at("number").get<int>()),
                            escaped(claim.at("statement")), escaped(claim.at("check")),
                            escaped(claim.at("outcome")),
                            claim.at("holds").get<bool>() ? "yes" : "**no**"});
    }
    line(markdown_table(table));
  }

  static bool is_judged(const Json& result) {
    return result.at("role") == "observed" || result.at("role") == "candidate";
  }

  static std::string verdict_cell(const Json& r) {
    if (!r.at("judged").get<bool>()) return "measured, not judged";
    std::string verdict = r.at("verdict");
    if (!r.at("as_expected").is_null()) {
      verdict += r.at("as_expected").get<bool>() ? " (as expected)" : " (**not expected**)";
    }
    return verdict;
  }

  void results() {
    Table table{
        {"subject", "case", "tensor", "verdict", "elements", "correctly rounded",
         "largest absolute error", "largest relative error", "largest ulp error", "same bits as"},
        {}};
    for (const Json& r : report_.at("results")) {
      if (!is_judged(r)) continue;
      std::string identical;
      for (const auto& [name, equal] : r.at("bit_identical_to_recipe").items()) {
        identical +=
            (identical.empty() ? "" : "; ") + code(name) + " " + share(equal, r.at("compared"));
      }
      table.rows.push_back(
          {code(r.at("candidate")), code(where(r, "case")),
           r.at("tensor").get<std::string>() + ", " + r.at("dtype").get<std::string>(),
           verdict_cell(r), share(r.at("compared"), r.at("expected")),
           share(r.at("correctly_rounded"), r.at("compared")), error_figure(r.at("max_abs_error")),
           error_figure(r.at("max_rel_error")), error_figure(r.at("max_ulp_error")),
           identical.empty() ? "-" : identical});
    }
    if (table.rows.empty()) return;
    heading("Results");
    line(
        "One line per subject, case and tensor. `observed` is what the port wrote; any other name "
        "is");
    line(
        "a recipe judged in its place. Errors are against the exact mathematical result; `ulp` is "
        "the");
    line(
        "spacing of the output's format at the exact result. Whether it is rounded as the source "
        "recipe");
    line(
        "is decided row by row (see *rounding* below). Where the source rounds more than once, "
        "many right");
    line("outputs are not the correctly rounded ones.");
    line();
    line(markdown_table(table));
  }

  void function() {
    const auto function = report_.find("function");
    if (function == report_.end()) return;
    heading("Which function the port computes");
    line(escaped(function->at("headline")) +
         ". Rows that were eliminated: " + share(function->at("rows"), function->at("of")) + ".");
    for (const Json& group : function->at("groups")) text_ += diagnosed_group_markdown(group);
  }

  // Totals of each recipe that the port was compared with, on the same rows.
  void yardsticks() {
    struct Totals {
      std::uint64_t cases = 0;
      std::uint64_t elements = 0;
      std::uint64_t correctly_rounded = 0;
      double ulp = 0;
    };
    std::map<std::string, Totals> recipes;
    for (const Json& r : report_.at("results")) {
      if (r.at("role") != "yardstick") continue;
      Totals& totals = recipes[r.at("candidate").get<std::string>()];
      ++totals.cases;
      totals.elements += r.at("compared").get<std::uint64_t>();
      totals.correctly_rounded += r.at("correctly_rounded").get<std::uint64_t>();
      if (!r.at("max_ulp_error").is_null()) totals.ulp = std::max(totals.ulp, value_of(r));
    }
    if (recipes.empty()) return;
    heading("Yardsticks: what the named recipes give on the same rows");
    Table table{{"recipe", "cases", "elements", "correctly rounded", "largest ulp error"}, {}};
    for (const auto& [name, totals] : recipes) {
      table.rows.push_back({code(name), grouped(totals.cases), grouped(totals.elements),
                            grouped(totals.correctly_rounded), fmt::format("{:.4g}", totals.ulp)});
    }
    line(markdown_table(table));
  }

  // The element with the largest ulp error of every judged subject, over its cases.
  void worst_elements() {
    std::map<std::string, const Json*> worst;
    for (const Json& r : report_.at("results")) {
      const Json& maximum = r.at("max_ulp_error");
      if (maximum.is_null() || !is_judged(r) || !r.at("judged").get<bool>()) continue;
      const Json*& entry = worst[r.at("candidate").get<std::string>()];
      if (entry == nullptr || value_of(*entry) < value_of(r)) entry = &r;
    }
    if (worst.empty()) return;
    heading("Worst element of each subject");
    Table table{
        {"subject", "case", "row, element", "x", "weight", "exact result", "got", "ulp error"}, {}};
    for (const auto& [name, result] : worst) {
      const Json& m = result->at("max_ulp_error");
      const bool is_sum = result->at("tensor") == "residual_out";
      table.rows.push_back({code(name), code(result->at("case")) + (is_sum ? " residual_out" : ""),
                            std::to_string(m.at("row").get<std::uint64_t>()) + ", " +
                                std::to_string(m.at("index").get<std::uint64_t>()),
                            input_cell(m), is_sum ? "-" : code(text_or(m.at("weight"), "none")),
                            code(m.at("exact")), code(m.at("got")), figure(m.at("value"), 6)});
    }
    line(markdown_table(table));
    line(
        "Rows and elements count from 0. Hexadecimal numbers are exact (C99); the exact result is");
    line("given to 40 significant digits.");
  }

  static double value_of(const Json& result) {
    const Json& value = result.at("max_ulp_error").at("value");
    return value.is_number() ? value.get<double>() : 0;
  }

  void controls() {
    if (report_.at("controls").empty()) return;
    heading("Controls: known defects that must be rejected");
    line("Each is run as if it were the port, on the same rows and against the same limits.");
    line();
    Table table{{"control", "rejected", "cases that reject it", "first by"}, {}};
    for (const Json& control : report_.at("controls")) {
      std::uint64_t all = 0;
      std::uint64_t rejecting = 0;
      for (const Json& r : report_.at("results")) {
        const bool own = r.at("role") == "mutant" && r.at("candidate") == control.at("name") &&
                         r.at("judged").get<bool>();
        if (!own) continue;
        ++all;
        if (r.at("verdict") == "rejected") ++rejecting;
      }
      table.rows.push_back(
          {code(control.at("name")), control.at("rejected").get<bool>() ? "yes" : "**no**",
           grouped(rejecting) + " of " + grouped(all), escaped(text_or(control.at("by"), "-"))});
    }
    line(markdown_table(table));
  }

  void expectations() {
    std::uint64_t checked = 0;
    Table table{{"case", "place", "expected", "exact result"}, {}};
    for (const Json& c : report_.at("cases")) {
      const Json& expectation = c.at("expectation");
      if (expectation.is_null()) continue;
      checked += expectation.at("checked").get<std::uint64_t>();
      for (const Json& failure : expectation.at("failures")) {
        table.rows.push_back({code(c.at("id")), escaped(failure.at("place")),
                              code(failure.at("expected")), code(failure.at("found"))});
      }
    }
    if (checked == 0) return;
    heading("Expected values");
    line(grouped(checked) + " expected numbers were compared with the exact result; " +
         grouped(table.rows.size()) + " do not hold.");
    if (table.rows.empty()) return;
    line();
    line(markdown_table(table));
  }

  void rows() {
    if (report_.at("cases").empty()) return;
    heading("The rows that were judged");
    line(
        "q is the mean square of a row; the attenuation sqrt(q / (q + epsilon)) is before the "
        "gain.");
    line("An epsilon can only be noticed on rows whose q is not far above it.");
    line();
    Table table{{"case", "class", "rows x width", "dtype", "epsilon", "q: least, median, greatest",
                 "q / epsilon: least", "attenuation: least"},
                {}};
    for (const Json& c : report_.at("cases")) {
      const Json& q = c.at("q");
      const std::string about = q.is_object() && q.contains("median_within") ? "about " : "";
      const std::string spread = q.is_null()
                                     ? "-"
                                     : figure(q.at("min")) + ", " + about + figure(q.at("median")) +
                                           ", " + figure(q.at("max"));
      const Json& ratio = c.at("q_over_epsilon");
      const Json& attenuation = c.at("attenuation");
      table.rows.push_back({code(c.at("id")), escaped(text_or(c.at("class"), "-")),
                            grouped(c.at("rows").get<std::uint64_t>()) + " x " +
                                grouped(c.at("dim").get<std::uint64_t>()),
                            c.at("dtype").get<std::string>(), code(c.at("epsilon").at("text")),
                            spread, ratio.is_null() ? "-" : figure(ratio.at("min")),
                            attenuation.is_null() ? "-" : figure(attenuation.at("min"), 6)});
    }
    line(markdown_table(table));
  }

  void refused() {
    if (report_.at("refused").empty()) return;
    heading("Refused, as the case file expects");
    for (const Json& item : report_.at("refused")) {
      bullet(code(item.at("id")) + ": " + code(item.at("code")) + ", " +
             escaped(item.at("message")));
    }
  }

  void findings() {
    if (report_.at("findings").empty() && report_.at("overrides").empty()) return;
    heading("Findings and overrides");
    for (const Json& finding : report_.at("findings")) {
      bullet(code(finding.at("rule")) + " (" + finding.at("level").get<std::string>() + ") " +
             escaped(finding.at("text")));
    }
    for (const Json& item : report_.at("overrides")) {
      bullet("override: " + code(item.at("option")) + " " + code(item.at("value")) +
             (item.at("replaces").is_null() ? "" : " replaces " + code(item.at("replaces"))));
    }
  }

  void not_tested() {
    if (report_.at("not_tested").empty()) return;
    heading("What was not tested");
    for (const Json& item : report_.at("not_tested")) bullet(escaped(item));
  }

  void reference() {
    heading("The reference and its certificate");
    const Json& reference = report_.at("reference");
    const Json& elements = reference.at("elements");
    line("Method: " + escaped(reference.at("method")) + ".");
    line();
    bullet("elements decided with the bound: " + grouped(elements.at("fast").get<std::uint64_t>()) +
           (reference.at("largest_bound").is_null()
                ? ""
                : ", the largest relative bound in binary64 being " +
                      figure(reference.at("largest_bound"))));
    if (!reference.at("screen_bound").is_null()) {
      bullet("of 16-bit outputs, in binary32 first: bound " + figure(reference.at("screen_bound")));
    }
    bullet("by exact integers: " + grouped(elements.at("exact").get<std::uint64_t>()));
    bullet("undecided: " + grouped(elements.at("undecided").get<std::uint64_t>()));
  }

  void definitions() {
    heading("Definitions");
    for (const auto& [name, meaning] : report_.at("definitions").items()) {
      bullet("**" + escaped(name) + "**: " + escaped(meaning));
    }
  }

  void repeat() {
    if (!report_.at("inputs").empty()) heading("What was read");
    for (const Json& input : report_.at("inputs")) {
      bullet(code(input.at("path")) + ", SHA-256 " +
             code(text_or(input.at("sha256"), "not computed")));
    }
    line();
    text_ += markdown_footer(report_);
    line();
    line(
        "A norm that passes here says nothing about the accuracy of the whole model, and nothing "
        "about");
    line("rows that were not judged.");
  }

  const Json& report_;
  std::string text_;
};

}  // namespace

std::string verify_markdown(const Json& report) { return MarkdownWriter(report).run(); }

}  // namespace normcert
