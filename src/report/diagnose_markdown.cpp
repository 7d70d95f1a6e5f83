#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/alike_survivors.hpp"
#include "report/diagnose_view.hpp"
#include "report/diagnose_words.hpp"
#include "report/markdown_footer.hpp"
#include "report/markdown_text.hpp"
#include "report/table.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownRefuted = 12;

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const Json& report) : report_(report) {}

  std::string run() {
    verdict();
    for (const Json& group : report_.at("groups")) {
      hypotheses(group);
      proof(group);
      usual_tests(group);
    }
    sites();
    outputs_only();
    findings();
    not_tested();
    definitions();
    text_ += "\n" + markdown_footer(report_);
    return std::move(text_);
  }

  std::string run_group(const Json& group) {
    hypotheses(group);
    proof(group);
    return std::move(text_);
  }

 private:
  void line(const std::string& text = "") { text_ += text + "\n"; }
  void heading(const std::string& text) {
    line();
    line("## " + text);
    line();
  }
  static std::string code(const std::string& text) { return markdown_code(text, 1000); }
  static std::string escaped(const std::string& text) { return markdown_escaped(text, 2000); }

  void verdict() {
    line("# " + upper(report_.at("verdict").at("value")) + ": what this port computes");
    line();
    line("**" + escaped(report_.at("headline")) + "** (exit status " +
         std::to_string(report_.at("exit_status").get<int>()) + ")");
    line();
    const Json& declared = report_.at("declared");
    line("- declared: " + escaped(declared.at("function")) +
         (declared.at("from").is_null() ? "" : " (" + escaped(declared.at("from")) + ")") +
         "; outcome: **" + escaped(declared.at("outcome")) + "**");
    for (const Json& item : report_.at("overrides")) {
      line("- override: " +
           code(item.at("option").get<std::string>() + " " + item.at("value").get<std::string>()) +
           (item.at("replaces").is_null() ? "" : " replaces " + code(item.at("replaces"))));
    }
    reasons();
    line();
    line(
        "Nothing was fitted here. An output is a rounded number: it allows an interval of the "
        "factor r that its row was multiplied by, and the mean square of the row turns that into "
        "an interval of epsilon. The intervals of all elements of all rows must have a common "
        "point. A hypothesis for which they have none is impossible, whatever the program was "
        "that wrote the outputs.");
  }

  // Sites of which the same is said stand together.
  void reasons() {
    std::vector<std::pair<std::string, std::vector<std::string>>> shared;
    for (const Json& reason : report_.at("verdict").at("reasons")) {
      const std::string words = escaped(reason.at("text")) + " (" + code(reason.at("code")) + ")";
      auto place = std::ranges::find(shared, words, [](const auto& one) { return one.first; });
      if (place == shared.end()) place = shared.insert(place, {words, {}});
      if (!reason.at("site").is_null()) place->second.push_back(code(reason.at("site")));
    }
    for (const auto& [words, names] : shared) {
      std::string sites;
      for (const std::string& name : names) sites += (sites.empty() ? ": " : ", ") + name;
      line("- " + words + sites);
    }
  }

  static std::string slack_cell(const Json& slack) {
    return slack.is_null() ? "-" : figure(slack, 4);
  }

  static void add_row(Table& table, const AlikeSurvivors& alike) {
    const Json& one = *alike.entries.front();
    std::string recipes;
    for (const Json* const entry : alike.entries) {
      for (const Json& name : entry->at("recipes")) {
        recipes += (recipes.empty() ? "" : ", ") + code(name);
      }
    }
    table.rows.push_back(
        {escaped(one.at("status")), escaped(alike.words), escaped(alternatives(alike, "rounding")),
         slack_cell(one.at("least_slack")), slack_cell(one.at("slack_of_declared")),
         one.at("status") == "survives" ? escaped(range_words(one.at("epsilon"))) : "-",
         escaped(range_words(one.at("epsilon_any_order"))), recipes.empty() ? "-" : recipes});
  }

  void hypotheses(const Json& group) {
    const Json& sites = group.at("sites");
    heading(sites.size() == 1 ? "What fits at " + code(sites.front())
                              : fmt::format("What fits at all of {} norms", sites.size()));
    const Json& bounds = group.at("slack_bounds");
    line(
        fmt::format("A hypothesis survives if one epsilon gives every output while the scalar of "
                    "each row moves by at most {} u from the exact one, which is proven for every "
                    "known order of summation; it is refuted if that takes more than {} u, which "
                    "is proven for any order (u = 2^-24, relative).",
                    figure(bounds.at("known_orders")), figure(bounds.at("any_order"))));
    line();
    Table table{{"status", "function", "rounding", "least slack, u", "slack of the declared, u",
                 "epsilon, known orders", "epsilon, any order", "recipes"},
                {}};
    for (const AlikeSurvivors& alike : alike_survivors(group.at("survivors"))) {
      add_row(table, alike);
    }
    std::size_t shown = 0;
    for (const Json& one : group.at("refuted")) {
      if (shown++ < kShownRefuted) add_row(table, {{&one}, 1, function_words(one)});
    }
    line(markdown_table(table));
    if (shown > kShownRefuted) {
      line(
          fmt::format("{} more hypotheses are refuted; the JSON report lists them with their "
                      "proofs.",
                      shown - kShownRefuted));
    }
    for (const Json& symptom : group.at("symptoms")) {
      line();
      line("Symptom: " + escaped(symptom));
    }
    for (const Json& one : group.at("survivors")) {
      for (const Json& stray : one.at("stray_elements")) {
        line(fmt::format("- stray under {}: {}, row {}, element {}", escaped(one.at("rounding")),
                         code(stray.at("site")), stray.at("row").get<std::uint64_t>(),
                         stray.at("index").get<std::uint64_t>()));
      }
    }
  }

  void proof(const Json& group) {
    const Json& proof = group.at("declared_proof");
    if (proof.is_null()) return;
    heading("Proof");
    line(escaped(proof.at("text")) + ": " + escaped(proof_place(proof)) + ".");
    line();
    std::string steps;
    for (const Json& step : proof.at("steps")) {
      steps += (steps.empty() ? "" : "\n") + step.get<std::string>();
    }
    line(markdown_code_block(steps));
    if (proof.at("python").is_null()) return;
    line("The same in Python, without any package:");
    line();
    line(markdown_code_block(proof.at("python").get<std::string>()));
  }

  void usual_tests(const Json& group) {
    const Json& tests = group.at("usual_tests");
    if (tests.empty()) return;
    heading("What the usual tests say");
    line(
        "The same outputs, compared with the exact result of the declared function under each "
        "epsilon:");
    line();
    Table table{{"compared with", "elements", "beyond assert_close", "its tolerances", "1 - cosine",
                 "NMSE"},
                {}};
    for (const Json& one : tests) {
      table.rows.push_back(
          {"epsilon " + escaped(one.at("epsilon")),
           grouped(one.at("elements").get<std::uint64_t>()),
           grouped(one.at("beyond_assert_close").get<std::uint64_t>()),
           "rtol " + shortest(one.at("rtol")) + ", atol " + shortest(one.at("atol")),
           escaped(figure(one.at("one_minus_cosine"))), escaped(figure(one.at("nmse")))});
    }
    line(markdown_table(table));
    if (tests.size() < 2) return;
    line(
        "What they measure is the rounding of the outputs, and that is the same in both lines: "
        "another epsilon multiplies a whole row by one factor that is nearer to 1 than a rounding "
        "of its elements. No tolerance tells the two lines apart; single elements next to a tie "
        "do, as the proof shows.");
  }

  void sites() {
    heading("Each norm alone");
    Table table{
        {"site", "rows", "width", "format", "q", "verdict", "epsilon that fits", "declared"}, {}};
    for (const Json& site : report_.at("sites")) {
      const Json& result = site.at("result");
      const Json& q = site.at("q");
      std::string fits = "-";
      if (!result.is_null() && !result.at("survivors").empty()) {
        fits = range_words(result.at("survivors").front().at("epsilon"));
      }
      std::string format = text_or(site.at("dtype"), "-");
      if (!site.at("stored_as").is_null()) {
        format += ", stored as " + site.at("stored_as").get<std::string>();
      }
      table.rows.push_back({code(site.at("site")), grouped(site.at("rows").get<std::uint64_t>()),
                            grouped(site.at("dim").get<std::uint64_t>()), escaped(format),
                            q.is_null() ? "-" : escaped(interval_words(q.at("min"), q.at("max"))),
                            result.is_null() ? "not judged" : escaped(result.at("verdict")),
                            escaped(fits), result.is_null() ? "-" : escaped(result.at("outcome"))});
    }
    line(markdown_table(table));
    for (const Json& site : report_.at("sites")) {
      if (site.at("zero_rows") != 0 || site.at("constant_rows") != 0) {
        line(fmt::format("- {}: {} rows of zeros, {} rows of one value (padding?)",
                         code(site.at("site")), site.at("zero_rows").get<std::uint64_t>(),
                         site.at("constant_rows").get<std::uint64_t>()));
      }
      for (const Json& symptom : site.at("symptoms")) {
        line("- " + code(site.at("site")) + ": " + escaped(symptom.at("text")) + " (" +
             code(symptom.at("code")) + ")");
      }
    }
  }

  void outputs_only() {
    bool any = false;
    for (const Json& site : report_.at("sites")) {
      const Json& seen = site.at("outputs_only");
      if (seen.is_null()) continue;
      if (!any) heading("What outputs alone say");
      any = true;
      line(fmt::format(
          "- {}: the RMS of y / gain is {} (median {}), so q/epsilon is {}, within 5 % "
          "up to about 1000; in {} of {} rows it differs from 1 by no more than rounding, so that "
          "epsilon is immaterial there; above 1 in {} rows, which no epsilon does",
          code(site.at("site")),
          interval_words(seen.at("attenuation").at("min"), seen.at("attenuation").at("max")),
          figure(seen.at("attenuation").at("median")),
          interval_words(seen.at("q_over_epsilon").at("min"), seen.at("q_over_epsilon").at("max")),
          grouped(seen.at("immaterial_rows").get<std::uint64_t>()),
          grouped(seen.at("rows").get<std::uint64_t>()),
          grouped(seen.at("above_one_rows").get<std::uint64_t>())));
    }
  }

  void findings() {
    const Json& findings = report_.at("findings");
    if (findings.empty()) return;
    heading("Noticed on the way");
    for (const Json& finding : findings) {
      line("- " + (finding.at("site").is_null() ? "" : code(finding.at("site")) + ": ") +
           escaped(finding.at("text")) + " (" + code(finding.at("rule")) + ")");
    }
  }

  void not_tested() {
    heading("Not tested");
    for (const Json& item : report_.at("not_tested")) line("- " + escaped(item));
  }

  void definitions() {
    heading("Definitions");
    for (const auto& [name, words] : report_.at("definitions").items()) {
      line("- " + code(name) + ": " + escaped(words));
    }
  }

  const Json& report_;
  std::string text_;
};

}  // namespace

std::string diagnose_markdown(const Json& report) { return MarkdownWriter(report).run(); }

std::string diagnosed_group_markdown(const Json& group) {
  return MarkdownWriter(group).run_group(group);
}

}  // namespace normcert
