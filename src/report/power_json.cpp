#include "report/power_json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "report/or_null.hpp"
#include "report/part_totals_reader.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> kRows = {"sample", "full"};
constexpr std::array<MutantFate, 4> kFates = {MutantFate::kCaught, MutantFate::kAccepted,
                                              MutantFate::kEquivalent, MutantFate::kInsideRounding};

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json group_json(const PowerGroup& group) {
  Json mutants = Json::array();
  for (const TriedMutant& mutant : group.mutants) {
    mutants.push_back({{"name", mutant.name},
                       {"required", mutant.required},
                       {"outcome", name_of(mutant.fate)},
                       {"by", or_null(mutant.by)}});
  }
  Json meaningless = Json::array();
  for (const MeaninglessMutant& one : group.meaningless) {
    meaningless.push_back({{"name", one.name}, {"why", one.why}});
  }
  Json unpinned = Json::array();
  for (const UnpinnedSite& site : group.unpinned) {
    unpinned.push_back({{"site", site.site}, {"below", site.below}});
  }
  const MutantCount count = required_of(group);
  return {{"candidate", group.candidate},
          {"role", name_of(group.role)},
          {"sites", group.sites},
          {"base", or_null(group.base)},
          {"mutants", std::move(mutants)},
          {"without_meaning", std::move(meaningless)},
          {"caught", count.caught},
          {"of", count.of},
          {"epsilon_rejected",
           {{"below", number_or_null(group.rejected_below)},
            {"above", number_or_null(group.rejected_above)}}},
          {"epsilon_immaterial_below", number_or_null(group.immaterial_below)},
          {"unpinned", std::move(unpinned)},
          {"rows", group.rows},
          {"rows_judged", group.rows_judged}};
}

std::optional<double> number_of(const JsonNode& json) {
  return json.is_null() ? std::nullopt : std::optional(json.as_double());
}

MutantFate fate_of(const JsonNode& json) {
  for (const MutantFate fate : kFates) {
    if (json.as_string() == name_of(fate)) return fate;
  }
  throw json.unexpected("what became of a mutant");
}

Role role_of(const JsonNode& json) {
  for (const Role role : {Role::kObserved, Role::kCandidate}) {
    if (json.as_string() == name_of(role)) return role;
  }
  throw json.unexpected("observed or candidate");
}

PowerGroup group_of(const JsonNode& json) {
  PowerGroup group;
  group.candidate = json.required("candidate").as_string();
  group.role = role_of(json.required("role"));
  for (const JsonNode& site : json.required("sites").items()) {
    group.sites.push_back(site.as_string());
  }
  if (group.sites.empty()) throw json.required("sites").unexpected("a norm at least");
  group.base = text_or_empty(json.required("base"));
  for (const JsonNode& item : json.required("mutants").items()) {
    TriedMutant& mutant = group.mutants.emplace_back();
    mutant.name = item.required("name").as_string();
    mutant.required = item.required("required").as_bool();
    mutant.fate = fate_of(item.required("outcome"));
    mutant.by = text_or_empty(item.required("by"));
  }
  for (const JsonNode& item : json.required("without_meaning").items()) {
    group.meaningless.push_back(
        {item.required("name").as_string(), item.required("why").as_string()});
  }
  const JsonNode rejected = json.required("epsilon_rejected");
  group.rejected_below = number_of(rejected.required("below"));
  group.rejected_above = number_of(rejected.required("above"));
  group.immaterial_below = number_of(json.required("epsilon_immaterial_below"));
  for (const JsonNode& item : json.required("unpinned").items()) {
    group.unpinned.push_back(
        {item.required("site").as_string(), item.required("below").as_double()});
  }
  group.rows = read_count(json.required("rows"));
  group.rows_judged = read_count(json.required("rows_judged"));
  return group;
}

}  // namespace

Json power_json(const Power& power) {
  Json groups = Json::array();
  MutantCount all;
  for (const PowerGroup& group : power.groups) {
    const MutantCount count = required_of(group);
    all.caught += count.caught;
    all.of += count.of;
    groups.push_back(group_json(group));
  }
  return {{"rows", kRows.at(static_cast<std::size_t>(power.asked))},
          {"groups", std::move(groups)},
          {"caught", all.caught},
          {"of", all.of}};
}

Power read_power(const JsonNode& json) {
  Power power;
  const JsonNode rows = json.required("rows");
  const auto asked = std::ranges::find(kRows, rows.as_string());
  if (asked == kRows.end()) throw rows.unexpected("sample or full");
  power.asked = static_cast<PowerRows>(asked - kRows.begin());
  for (const JsonNode& group : json.required("groups").items()) {
    power.groups.push_back(group_of(group));
  }
  return power;
}

std::string power_definition() {
  return "known defects are run in the port's place, as a base recipe with one thing changed, on "
         "the rows that were judged, and judged as the port was. caught: it would not have been "
         "accepted (by elimination, or by the limits); accepted: it would have been; equivalent: "
         "these rows give the same bits with and without it; inside rounding: no row of this width "
         "can show it. An accepted port whose group of norms misses a required defect is "
         "inconclusive. Norms whose outputs are the same for every epsilon from 0 on do not pin it";
}

void add_not_tried(const Power& power, Json& not_tested) {
  for (const PowerGroup& group : power.groups) {
    std::map<std::string, std::string> names_of;
    for (const MeaninglessMutant& one : group.meaningless) {
      if (!is_required(one.name, true)) continue;
      std::string& names = names_of[one.why];
      names += (names.empty() ? "" : ", ") + one.name;
    }
    std::string text;
    for (const auto& [why, names] : names_of) {
      text += (text.empty() ? "" : "; ") + names + " (" + why + ")";
    }
    if (text.empty()) continue;
    const bool is_one = group.sites.size() == 1;
    not_tested.push_back(
        "defects without a meaning at " +
        (is_one ? group.sites.front() : std::to_string(group.sites.size()) + " norms") + ": " +
        text);
  }
}

}  // namespace normcert
