#include "report/power_views.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/markdown_text.hpp"
#include "report/table.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFoldedGroups = 3;
constexpr std::size_t kNamedSites = 4;

std::string code(const std::string& text) { return markdown_code(text, 1000); }
std::string escaped(const std::string& text) { return markdown_escaped(text, 1000); }

// "epsilon below 9.33e-06 or above 1.04e-05"; empty where nothing is known.
std::string epsilons_noticed(const Json& group) {
  const Json& rejected = group.at("epsilon_rejected");
  std::string text;
  if (!rejected.at("below").is_null()) text += "below " + figure(rejected.at("below"), 6);
  if (!rejected.at("above").is_null()) {
    text += (text.empty() ? "" : " or ") + ("above " + figure(rejected.at("above"), 6));
  }
  return text.empty() ? text : "epsilon " + text;
}

// Required defects that were missed: "epsilon_x10 (accepted), epsilon_dropped (equivalent)".
std::string missed(const Json& group) {
  std::string text;
  for (const Json& mutant : group.at("mutants")) {
    const std::string outcome = mutant.at("outcome");
    if (!mutant.at("required").get<bool>() || outcome == "caught") continue;
    text +=
        (text.empty() ? "" : ", ") + mutant.at("name").get<std::string>() + " (" + outcome + ")";
  }
  return text;
}

std::string sites_text(const std::vector<std::string>& sites, std::size_t named = kNamedSites) {
  std::string text;
  for (std::size_t i = 0; i < sites.size() && i < named; ++i) {
    text += (i == 0 ? "" : ", ") + sites[i];
  }
  if (sites.size() > named) text += fmt::format(" and {} more", sites.size() - named);
  return text;
}

std::vector<std::string> unpinned(const Json& group) {
  std::vector<std::string> sites;
  for (const Json& one : group.at("unpinned")) {
    sites.push_back(one.at("site").get<std::string>() + " (any up to " +
                    figure(one.at("below"), 3) + ")");
  }
  return sites;
}

// What epsilon changes nothing at.
std::string unpinned_text(const Json& group) {
  const std::vector<std::string> sites = unpinned(group);
  if (sites.empty()) return "";
  const std::string base = text_or(group.at("base"), "the base");
  if (!group.at("epsilon_immaterial_below").is_null()) {
    return "epsilon: immaterial here below " + figure(group.at("epsilon_immaterial_below"), 3) +
           ", as " + base + " computes it no output of the group changes";
  }
  return "epsilon at " + sites_text(sites) + " alone: as " + base +
         " computes it no output there changes; other norms of the group show it";
}

// What would show the defects that were missed.
std::string remedy(const Json& report, const Json& group) {
  bool epsilon_alone = true;
  bool all_equivalent = true;
  for (const Json& mutant : group.at("mutants")) {
    const std::string outcome = mutant.at("outcome");
    if (!mutant.at("required").get<bool>() || outcome == "caught") continue;
    epsilon_alone = epsilon_alone && mutant.at("name").get<std::string>().starts_with("epsilon");
    all_equivalent = all_equivalent && outcome == "equivalent";
  }
  const std::string rows =
      std::string(epsilon_alone ? "rows whose mean square is nearer to epsilon"
                                : "rows and weights that show them") +
      ": the standard cases have some (normcert cases writes them for a kernel)";
  const bool by_limits = report.at("verdict").at("level") == "tolerance";
  return by_limits && !all_equivalent
             ? "--require function, which asks more than limits do, or " + rows
             : rows;
}

}  // namespace

std::string power_text(const Json& report, bool all) {
  const Json& power = report.at("power");
  if (power.is_null()) return "";
  std::string text;
  const Json& groups = power.at("groups");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!all && i == kFoldedGroups && groups.size() > kFoldedGroups + 1) {
      text += fmt::format("  + {} more groups; --all shows them\n", groups.size() - i);
      break;
    }
    const Json& group = groups[i];
    const std::string of_group = groups.size() == 1
                                     ? ""
                                     : " (" + group.at("candidate").get<std::string>() + ", " +
                                           sites_text(group.at("sites"), 1) + ")";
    const std::string epsilons = epsilons_noticed(group);
    text += fmt::format("  could see   {} required defects{}{}\n",
                        share(group.at("caught"), group.at("of")),
                        epsilons.empty() ? "" : "; " + epsilons, of_group);
    const std::string blind = missed(group);
    if (!blind.empty()) {
      text += fmt::format("  cannot see  {}\n  to see it   {}\n", blind, remedy(report, group));
    }
    const std::string same = unpinned_text(group);
    if (!same.empty()) text += fmt::format("  cannot see  {}\n", same);
  }
  return text;
}

std::string power_markdown(const Json& report) {
  const Json& power = report.at("power");
  if (power.is_null() || power.at("groups").empty()) return "";
  std::string text = "\n## What this gate would have noticed\n\n";
  text +=
      "Known defects, run in the port's place on the rows that were judged and judged as the port "
      "was.\nA required one that is not caught makes an accepted port inconclusive.\n";
  for (const Json& group : power.at("groups")) {
    const std::vector<std::string> sites = group.at("sites");
    text += "\n" + code(group.at("candidate")) + " at " + code(sites_text(sites)) + ": **" +
            share(group.at("caught"), group.at("of")) + " required defects caught**";
    if (!group.at("base").is_null()) {
      text += "; each is " + code(group.at("base")) + " with one thing changed, on " +
              share(group.at("rows"), group.at("rows_judged")) + " rows";
    }
    text += ".\n";
    if (const std::string epsilons = epsilons_noticed(group); !epsilons.empty()) {
      text += "The nearest " + epsilons.substr(0, 7) +
              "s that would have been rejected: " + epsilons.substr(8) + ".\n";
    }
    if (const std::string same = unpinned_text(group); !same.empty()) {
      text += "Not shown here: " + code(same) + ".\n";
    }
    if (!missed(group).empty())
      text += "What would show the rest: " + escaped(remedy(report, group)) + ".\n";
    Table table{{"defect", "required", "outcome", "by"}, {}};
    for (const Json& mutant : group.at("mutants")) {
      const bool required = mutant.at("required").get<bool>();
      const std::string outcome = mutant.at("outcome");
      table.rows.push_back({code(mutant.at("name")), required ? "yes" : "no",
                            required && outcome != "caught" ? "**" + outcome + "**" : outcome,
                            mutant.at("by").is_null() ? "-" : code(mutant.at("by"))});
    }
    text += "\n" + markdown_table(table);
  }
  return text;
}

}  // namespace normcert
