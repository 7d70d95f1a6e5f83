#include "report/verify_json.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "numeric/float_format.hpp"
#include "reference/error_bounds.hpp"
#include "report/epsilon_json.hpp"
#include "report/function_json.hpp"
#include "report/or_null.hpp"
#include "report/part_json.hpp"
#include "report/power_json.hpp"
#include "report/result_json.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

Json model_json(const VerifyReport& report) {
  if (!report.model) return nullptr;
  const Model& model = *report.model;
  Json sites = Json::array();
  for (const NormSite& site : model.sites) {
    sites.push_back(
        {{"name", site.name},
         {"dim", site.dim > 0 ? Json(site.dim) : Json()},
         {"epsilon", epsilon_json(site.epsilon)},
         {"epsilon_from", or_null(site.epsilon_from)},
         {"weight_offset", site.weight_offset ? Json(site.weight_offset->text) : Json()},
         {"dtype", model.dtype != nullptr ? Json(std::string(model.dtype->name)) : Json()},
         {"recipe", or_null(site.recipe)}});
  }
  return {{"source", or_null(model.source)},
          {"sha256", or_null(report.model_sha256)},
          {"model_type", or_null(model.model_type)},
          {"family", or_null(model.family)},
          {"sites", std::move(sites)}};
}

bool counts_and_compared(const SubjectResult& result) {
  const bool counts = result.role == Role::kObserved || result.role == Role::kCandidate;
  return counts && (result.judged || result.as_expected) && result.comparison.compared > 0;
}

// Those of the names that the model has.
std::vector<std::string> sites_of_model(const Model& model, const std::vector<std::string>& names) {
  std::vector<std::string> sites;
  for (const std::string& name : names) {
    if (std::ranges::find(model.sites, name, &NormSite::name) != model.sites.end()) {
      sites.push_back(name);
    }
  }
  return sites;
}

// Sites of the model for which an output was judged.
std::set<std::string> judged_sites(const VerifyReport& report) {
  std::set<std::string> sites;
  for (const SubjectResult& result : report.outcome.results) {
    if (counts_and_compared(result)) {
      const auto covered =
          sites_of_model(*report.model, report.outcome.cases[result.case_index].covers);
      sites.insert(covered.begin(), covered.end());
    }
  }
  return sites;
}

Json coverage_json(const VerifyReport& report) {
  if (!report.model) return nullptr;
  const std::set<std::string> judged = judged_sites(report);
  Json missing = Json::array();
  std::uint64_t count = 0;
  for (const NormSite& site : report.model->sites) {
    if (judged.contains(site.name)) {
      ++count;
    } else {
      missing.push_back({{"site", site.name}, {"why", "no output of it was given"}});
    }
  }
  return {{"sites_in_model", report.model->sites.size()},
          {"judged", count},
          {"not_judged", std::move(missing)}};
}

Json criteria_json(const Criteria& criteria) {
  Json tolerance;
  if (criteria.tolerance) {
    tolerance = {{"atol", criteria.tolerance->atol}, {"rtol", criteria.tolerance->rtol}};
  }
  return {{"tolerance", std::move(tolerance)},
          {"max_ulp", criteria.max_ulp ? Json(*criteria.max_ulp) : Json()}};
}

Json definitions_json(const VerifyReport& report) {
  Json definitions = {
      {"function",
       "q = mean of x^2 over the row; y = (weight_offset + weight) x / sqrt(q + epsilon)"},
      {"exact",
       "every error is taken against the exact mathematical result, not another program's"},
      {"absolute_error", "|got - exact|"},
      {"relative_error",
       "|got - exact| / |exact|, where |exact| is at least the least normal number"},
      {"ulp_error",
       "|got - exact| / 2^(max(e, emin) - p + 1), e the exponent of exact, p and emin of the "
       "output's "
       "format"},
      {"correctly_rounded",
       "got is the format's number nearest to exact, ties to even; implementations that round more "
       "than once, as many frameworks do, often miss it by one code, which is no defect in itself"},
      {"faithful", "got is one of the two numbers that enclose exact, or exact itself"},
      {"code_distance", "steps in the format's order from the correctly rounded result to got"},
      {"rounding",
       "the level: for each row one value of its inverse RMS, within the distance from the exact "
       "one "
       "that any order of a binary32 sum can cause, gives every output of the row through the "
       "source recipe's later steps; so another epsilon, gain or cast point is rejected wherever "
       "it "
       "changes an output"},
      {"conforming",
       "a class of kernels that compute the function with a binary32 statistic and round alike: "
       "where x*r is cast, in which order it is multiplied with the weight, how offset and weight "
       "or x and residual are added; the order of the sum and the root are free. Classes are "
       "searched where outputs of a case's first rows (256, or some 2^17 elements) have other bits "
       "than the source recipe; listed are those to which every row conforms that was asked: "
       "these, and of every block of some 2^17 elements the first row that the source recipe does "
       "not explain. Otherwise the class of the source recipe stands there if every row conforms "
       "to it"},
      {"measured",
       "of cases of the classes beyond_range and amplitude: shown, but no verdict rests on them, "
       "because a binary32 statistic cannot hold all their rows"},
      {"recipe",
       "how a framework or kernel computes the norm, down to each rounding; the source recipe is "
       "that of the framework that the model comes from"},
      {"coherent_error",
       "greatest |k - 1| of a row, k the factor that fits the row's outputs best to its exact "
       "results; rounding alone leaves about 2^-p / sqrt(3 n)"},
      {"incoherent_error", "what that factor leaves, as a share of the row's root mean square"},
      {"attenuation", "sqrt(q / (q + epsilon)), before the gain"}};
  if (report.function) definitions["same_function"] = function_definition();
  if (report.power && !report.power->groups.empty()) definitions["power"] = power_definition();
  return definitions;
}

// How every element of every result was decided.
Json reference_json(const VerifyOutcome& outcome) {
  std::uint64_t by_bound = 0;
  std::uint64_t exactly = 0;
  double largest_bound = 0;
  bool screened_in_binary32 = false;
  for (const SubjectResult& result : outcome.results) {
    const bool narrow = result.dtype == kBf16.name || result.dtype == kFp16.name;
    screened_in_binary32 =
        screened_in_binary32 || (narrow && result.comparison.decided_by_bound > 0);
    by_bound += result.comparison.decided_by_bound;
    exactly += result.comparison.decided_exactly;
    largest_bound = std::max(largest_bound, result.comparison.largest_bound);
  }
  return {
      {"method",
       "a rounded evaluation with a proven relative bound decides an element where every number "
       "within the bound answers every question alike: binary32 first for outputs of 16 bits "
       "(screen_bound), then binary64 (largest_bound), then double-double arithmetic; exact "
       "integers decide the rest; printed values come from 256 bits"},
      {"elements", {{"fast", by_bound}, {"exact", exactly}, {"undecided", 0}}},
      {"largest_bound", by_bound > 0 ? Json(largest_bound) : Json()},
      {"screen_bound", screened_in_binary32 ? Json(kBinary32ScreenBound) : Json()}};
}

Json claims_json(const VerifyReport& report) {
  Json json = Json::array();
  for (const ClaimOutcome& outcome : report.claims) {
    json.push_back({{"file", outcome.file},
                    {"number", outcome.claim.number},
                    {"statement", outcome.claim.statement},
                    {"check", outcome.claim.check},
                    {"outcome", outcome.claim.outcome},
                    {"holds", claim_holds(report.outcome, outcome)}});
  }
  return json;
}

Json refused_json(const std::vector<RefusedCase>& refused) {
  Json json = Json::array();
  for (const RefusedCase& item : refused) {
    json.push_back({{"id", item.id}, {"code", item.code}, {"message", item.message}});
  }
  return json;
}

Json controls_json(const std::vector<MutantOutcome>& mutants) {
  Json json = Json::array();
  for (const MutantOutcome& mutant : mutants) {
    json.push_back(
        {{"name", mutant.name}, {"rejected", mutant.rejected}, {"by", or_null(mutant.by)}});
  }
  return json;
}

// "16 of 4096 rows (low-q)"; empty where every row of the files was to be judged.
std::string rows_chosen(const VerifyOutcome& outcome) {
  std::uint64_t chosen = 0;
  std::uint64_t in_files = 0;
  std::string how;
  for (const CaseSummary& summary : outcome.cases) {
    chosen += summary.rows;
    in_files += summary.rows_in_file;
    if (summary.rows != summary.rows_in_file) how = summary.rows_chosen;
  }
  if (how.empty()) return "";
  return std::to_string(chosen) + " of " + std::to_string(in_files) + " rows (" + how + ")";
}

std::string part_text(const Part& part) {
  return "part " + std::to_string(part.index) + " of " + std::to_string(part.of);
}

// What a reader could otherwise believe to be covered.
Json not_tested(const VerifyReport& report) {
  Json json = report.not_tested;
  if (report.part) {
    json.push_back("rows of the other parts: this is " + part_text(*report.part) +
                   ", and no verdict on the whole; normcert report merge gives it from all parts");
  }
  if (const std::string rows = rows_chosen(report.outcome); !rows.empty()) {
    json.push_back("rows that were not chosen: " + rows + " were to be judged");
  }
  const bool by_limits_alone =
      report.level == Level::kTolerance && report.outcome.verdict == VerdictValue::kAccepted;
  if (by_limits_alone) {
    json.push_back(
        report.power
            ? "which function the port computes: of defects those that were tried are noticed, "
              "another whose effect is below the limits passes them; --require function asks more"
            : "which function the port computes: a defect whose effect is below the limits, a "
              "wrong epsilon on rows of ordinary size for one, passes them; --require function "
              "asks more");
  }
  if (report.function) add_not_tested(*report.function, report.outcome.verdict, json);
  if (report.power) {
    add_not_tried(*report.power, json);
  } else {
    json.push_back("whether these rows and this level would have noticed a defect: --power off");
  }
  return json;
}

}  // namespace

Json verify_json(const VerifyReport& report) {
  const VerifyOutcome& outcome = report.outcome;
  Json cases = Json::array();
  for (const CaseSummary& summary : outcome.cases) cases.push_back(case_json(summary));
  Json results = Json::array();
  for (const SubjectResult& result : outcome.results) {
    results.push_back(result_json(result, outcome.cases[result.case_index], report.criteria));
  }
  Json json = {{"headline", verify_headline(report)},
               {"model", model_json(report)},
               {"coverage", coverage_json(report)},
               {"definitions", definitions_json(report)},
               {"criteria", criteria_json(report.criteria)},
               {"reference", reference_json(outcome)},
               {"cases", std::move(cases)},
               {"results", std::move(results)},
               {"controls", controls_json(outcome.mutants)},
               {"refused", refused_json(report.refused)},
               {"claims", claims_json(report)},
               {"power", report.power ? power_json(*report.power) : Json()},
               {"not_tested", not_tested(report)}};
  const bool eliminated = report.function && !report.function->diagnosis.sites.empty();
  if (eliminated) json["function"] = function_json(*report.function);
  if (report.part) json["part"] = part_json(report);
  return json;
}

std::string verify_headline(const VerifyReport& report) {
  const VerifyOutcome& outcome = report.outcome;
  std::string value(name_of(outcome.verdict));
  if (report.part) value += " in " + part_text(*report.part);
  const bool anything = std::ranges::any_of(outcome.results, counts_and_compared);
  if (!anything) return value + ": no output of a port was compared";
  std::set<std::string> judged;
  std::set<std::string> rejected;
  const bool by_site = report.model && !judged_sites(report).empty();
  for (const SubjectResult& result : outcome.results) {
    if (!counts_and_compared(result)) continue;
    const CaseSummary& summary = outcome.cases[result.case_index];
    std::vector<std::string> units = {summary.id};
    if (by_site) units = sites_of_model(*report.model, summary.covers);
    judged.insert(units.begin(), units.end());
    const bool is_rejected = result.judged && result.verdict == VerdictValue::kRejected;
    if (is_rejected && !result.as_expected.value_or(false)) {
      rejected.insert(units.begin(), units.end());
    }
  }
  const auto units = [&](std::size_t count) {
    return std::string(by_site ? "site" : "case") + (count == 1 ? "" : "s");
  };
  const std::size_t all = by_site ? report.model->sites.size() : outcome.cases.size();
  const std::string rows = rows_chosen(outcome);
  const std::string coverage = std::to_string(judged.size()) + " of " + std::to_string(all) + " " +
                               units(all) + (rows.empty() ? "" : ", " + rows);
  if (outcome.verdict == VerdictValue::kRejected && !rejected.empty()) {
    return value + " at " + std::to_string(rejected.size()) + " " + units(rejected.size()) +
           "; judged: " + coverage;
  }
  return value + (judged.size() == all ? ", " : " for ") + coverage;
}

}  // namespace normcert
