#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/alike_survivors.hpp"
#include "report/diagnose_view.hpp"
#include "report/diagnose_words.hpp"
#include "report/table.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFoldedSites = 12;
constexpr std::size_t kFoldedReasons = 6;
constexpr std::size_t kFoldedOutputs = 3;

std::string labelled(const std::string& label, const std::string& text) {
  return fmt::format("  {:<11} {}\n", label, text);
}

std::string folded(std::size_t more, const std::string& what) {
  return fmt::format("  + {} more {}; --all shows them\n", more, what);
}

// What was declared, with its outcome.
std::string declared_line(const Json& report) {
  const Json& declared = report.at("declared");
  std::string text = declared.at("function").get<std::string>();
  if (!declared.at("from").is_null()) text += " (" + declared.at("from").get<std::string>() + ")";
  return labelled("declared", text + ": " + declared.at("outcome").get<std::string>());
}

class GroupText {
 public:
  GroupText(const Json& group, bool all) : group_(group), all_(all) {}

  std::string run() {
    survivors();
    if (!best_.is_null()) rounding();
    strength();
    strays();
    for (const Json& symptom : group_.at("symptoms")) {
      text_ += labelled("symptom", symptom.get<std::string>());
    }
    proof();
    return std::move(text_);
  }

 private:
  // One line for each function; its roundings stand together elsewhere.
  void survivors() {
    std::vector<std::string> shown;
    for (const AlikeSurvivors& alike : alike_survivors(group_.at("survivors"))) {
      const Json& one = *alike.entries.front();
      const bool survives = one.at("status") == "survives";
      if (survives && best_.is_null()) best_ = one;
      std::string words = alike.words;
      if (std::ranges::find(shown, words) != shown.end()) continue;
      shown.push_back(words);
      const Json& range = survives ? one.at("epsilon") : one.at("epsilon_any_order");
      if (!range.is_null()) words += "; epsilon " + range_words(range);
      const bool names_epsilons = alike.functions == 1 && survives && !range.is_null();
      if (names_epsilons && !range.at("well_known").empty()) {
        words += " (" + joined(range.at("well_known")) + " fits)";
      }
      if (!survives) {
        words += fmt::format(
            ": only if the sum was formed worse than in every known order, "
            "needs {} u",
            figure(one.at("least_slack"), 3));
      }
      text_ += labelled(!survives           ? "implausible"
                        : shown.size() == 1 ? "observed"
                                            : "also fits",
                        words);
    }
    if (!shown.empty()) return;
    text_ += labelled("observed", group_.at("refuted").empty()
                                      ? "no row can be judged"
                                      : fmt::format("all {} hypotheses are refuted",
                                                    group_.at("refuted").size()));
  }

  static std::string joined(const Json& list, std::size_t most = 8) {
    std::string text;
    for (std::size_t i = 0; i < std::min(list.size(), most); ++i) {
      text += (text.empty() ? "" : ", ") + list[i].get<std::string>();
    }
    if (list.size() > most) text += fmt::format(" and {} more", list.size() - most);
    return text;
  }

  void rounding() {
    std::vector<std::string> roundings;
    for (const Json& one : group_.at("survivors")) {
      if (one.at("status") != "survives" || function_words(one) != function_words(best_)) continue;
      const std::string words = one.at("rounding").get<std::string>();
      if (std::ranges::find(roundings, words) == roundings.end()) roundings.push_back(words);
    }
    std::string text;
    for (const std::string& one : roundings) text += (text.empty() ? "" : ", or ") + one;
    if (!best_.at("recipes").empty()) {
      text += "; as " + joined(best_.at("recipes"), all_ ? 1000 : 4);
    }
    text_ += labelled("rounding", text);
  }

  // u is 2^-24.
  void strength() {
    const Json& bounds = group_.at("slack_bounds");
    std::string text;
    const auto add = [&text](const std::string& part) {
      text += (text.empty() ? "" : ", ") + part;
    };
    if (!best_.is_null()) {
      add(fmt::format("needs {} u of slack", figure(best_.at("least_slack"), 3)));
      const std::string own = function_words(best_);
      for (const auto* list : {&group_.at("survivors"), &group_.at("refuted")}) {
        const auto other = std::ranges::find_if(
            *list, [&](const Json& one) { return function_words(one) != own; });
        if (other == list->end()) continue;
        add(fmt::format("the next other function {} u ({})", figure(other->at("least_slack"), 3),
                        placement_words(other->at("placement").get<std::string>()) + ", " +
                            other->at("statistic").get<std::string>()));
        break;
      }
      if (!best_.at("slack_of_declared").is_null()) {
        add(fmt::format("the declared epsilon {} u", figure(best_.at("slack_of_declared"), 4)));
      }
    }
    text += fmt::format(
        "{}proven bounds: {} u for every known order, {} u for any order "
        "(u = 2^-24)",
        text.empty() ? "" : "; ", figure(bounds.at("known_orders"), 3),
        figure(bounds.at("any_order"), 3));
    text_ += labelled("strength", text);
  }

  void strays() {
    if (best_.is_null() || best_.at("strays") == 0) return;
    std::string text =
        fmt::format("{} element{} left out, without which nothing survives",
                    best_.at("strays").get<std::uint64_t>(), best_.at("strays") == 1 ? "" : "s");
    const Json& elements = best_.at("stray_elements");
    for (std::size_t i = 0; i < std::min<std::size_t>(elements.size(), 4); ++i) {
      text += fmt::format(
          "{} {} row {} element {}", i == 0 ? ":" : ",", elements[i].at("site").get<std::string>(),
          elements[i].at("row").get<std::uint64_t>(), elements[i].at("index").get<std::uint64_t>());
    }
    text_ += labelled("stray", text);
  }

  void proof() {
    const Json& proof = group_.at("declared_proof");
    if (proof.is_null()) return;
    text_ += labelled("proof", proof_place(proof));
    for (const Json& step : proof.at("steps")) text_ += labelled("", step.get<std::string>());
  }

  const Json& group_;
  bool all_;
  Json best_;
  std::string text_;
};

std::string site_verdict(const Json& site) {
  if (!site.at("not_judged").empty()) {
    return "not judged: " + site.at("not_judged").front().at("code").get<std::string>();
  }
  if (!site.at("outputs_only").is_null()) return "no input";
  const Json& result = site.at("result");
  const std::string outcome = result.at("outcome").get<std::string>();
  if (outcome == "undecided" && result.at("verdict") == "unexplained") return "unexplained";
  return outcome;
}

Table site_table(const Json& report, bool all) {
  Table table{{"site", "rows", "q of the rows", "epsilon that fits", "declared"}, {}};
  // What is not as it should be comes first when lines are folded.
  std::vector<const Json*> sites;
  for (const Json& site : report.at("sites")) sites.push_back(&site);
  std::ranges::stable_partition(sites,
                                [](const Json* site) { return site_verdict(*site) != "fits"; });
  for (const Json* site : sites) {
    if (!all && table.rows.size() == kFoldedSites && sites.size() > kFoldedSites + 1) break;
    const Json& q = site->at("q");
    std::string range = "-";
    const Json& result = site->at("result");
    if (!result.is_null() && !result.at("survivors").empty()) {
      const Json& best = result.at("survivors").front();
      range = best.at("epsilon").is_null() ? placement_words(best.at("placement"))
                                           : range_words(best.at("epsilon"));
    }
    table.rows.push_back({site->at("site").get<std::string>(),
                          grouped(site->at("rows").get<std::uint64_t>()),
                          q.is_null() ? "-" : interval_words(q.at("min"), q.at("max"), 2), range,
                          site_verdict(*site)});
  }
  return table;
}

std::string outputs_only_text(const Json& report, bool all) {
  std::string text;
  std::size_t shown = 0;
  std::size_t left = 0;
  for (const Json& site : report.at("sites")) {
    const Json& seen = site.at("outputs_only");
    if (seen.is_null()) continue;
    if (!all && shown == kFoldedOutputs) {
      ++left;
      continue;
    }
    ++shown;
    text +=
        labelled("outputs", fmt::format("{}: RMS of y / gain {}, so q/epsilon {} (within 5 % up "
                                        "to 1000); immaterial in {} of {} rows",
                                        site.at("site").get<std::string>(),
                                        interval_words(seen.at("attenuation").at("min"),
                                                       seen.at("attenuation").at("max")),
                                        interval_words(seen.at("q_over_epsilon").at("min"),
                                                       seen.at("q_over_epsilon").at("max"), 3),
                                        grouped(seen.at("immaterial_rows").get<std::uint64_t>()),
                                        grouped(seen.at("rows").get<std::uint64_t>())));
  }
  return left > 0 ? text + folded(left, "sites") : text;
}

// Lines about sites, those together of which the same is said.
class SharedLines {
 public:
  void add(const std::string& label, const std::string& text, const Json& site) {
    auto place = std::ranges::find_if(
        lines_, [&](const Line& one) { return one.label == label && one.text == text; });
    if (place == lines_.end()) place = lines_.insert(place, {label, text, {}});
    if (!site.is_null()) place->sites.push_back(site);
  }

  [[nodiscard]] std::string text(const std::string& what, bool all) const {
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!all && i == kFoldedReasons && lines_.size() > kFoldedReasons + 1) {
        return text + folded(lines_.size() - i, what);
      }
      const Line& one = lines_[i];
      std::string sites = one.sites.empty() ? "" : one.sites.front() + ": ";
      if (one.sites.size() > 1) {
        sites = fmt::format("{} and {} more: ", one.sites.front(), one.sites.size() - 1);
      }
      text += labelled(one.label, sites + one.text);
    }
    return text;
  }

 private:
  struct Line {
    std::string label;
    std::string text;
    std::vector<std::string> sites;
  };
  std::vector<Line> lines_;
};

std::string reasons_text(const Json& report, bool all) {
  SharedLines lines;
  for (const Json& reason : report.at("verdict").at("reasons")) {
    if (reason.at("code") == "function") continue;  // the headline and the table say it
    lines.add(reason.at("code"), reason.at("text"), reason.at("site"));
  }
  return lines.text("reasons", all);
}

std::string findings_text(const Json& report, bool all) {
  SharedLines lines;
  for (const Json& finding : report.at("findings")) {
    lines.add(finding.at("level"), finding.at("text"), finding.at("site"));
  }
  return lines.text("findings", all);
}

}  // namespace

std::string proof_place(const Json& proof) {
  return fmt::format("{}, row {}, element {}; redo it with a calculator",
                     proof.at("site").get<std::string>(), proof.at("row").get<std::uint64_t>(),
                     proof.at("index").get<std::uint64_t>());
}

std::string diagnosed_group_text(const Json& group, bool all) {
  return GroupText(group, all).run();
}

std::string diagnose_text(const Json& report, bool all) {
  const std::string value = report.at("verdict").at("value");
  std::string text =
      fmt::format("{}   {}\n", upper(value), report.at("headline").get<std::string>());
  text += declared_line(report);
  for (const Json& item : report.at("overrides")) {
    text += labelled("override", item.at("option").get<std::string>() + " " +
                                     item.at("value").get<std::string>() +
                                     (item.at("replaces").is_null()
                                          ? ""
                                          : " replaces " + item.at("replaces").get<std::string>()));
  }
  const Json& groups = report.at("groups");
  for (const Json& group : groups) {
    if (groups.size() > 1) {
      text += fmt::format("  {} and {} more\n", group.at("sites").front().get<std::string>(),
                          group.at("sites").size() - 1);
    }
    text += diagnosed_group_text(group, all);
  }
  text += outputs_only_text(report, all);
  text += reasons_text(report, all);
  text += findings_text(report, all);
  const Table table = site_table(report, all);
  text += "\n" + text_table(table, 2);
  if (table.rows.size() < report.at("sites").size()) {
    text += folded(report.at("sites").size() - table.rows.size(), "sites");
  }
  for (const Json& item : report.at("not_tested")) {
    text += labelled("not tested", item.get<std::string>());
  }
  std::size_t judged = 0;
  for (const Json& site : report.at("sites")) judged += site.at("result").is_null() ? 0 : 1;
  return text + fmt::format("{}  declared {}  {} of {} sites  exit {}\n", value,
                            report.at("declared").at("outcome").get<std::string>(), judged,
                            report.at("sites").size(), report.at("exit_status").get<int>());
}

}  // namespace normcert
