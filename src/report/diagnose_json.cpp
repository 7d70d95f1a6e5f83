#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/diagnose_report.hpp"
#include "report/diagnose_words.hpp"
#include "report/epsilon_json.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// Non-finite numbers are strings, as in every report.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

Json number_or_null(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json range_json(const std::optional<EpsilonRange>& range) {
  if (!range) return nullptr;
  return {{"low", number(range->low)}, {"high", number(range->high)}};
}

Json bounds_json(const SlackBounds& bounds) {
  return {{"known_orders", number(bounds.known_orders)},
          {"any_order", number(bounds.any_order)},
          {"unit", 0x1p-24}};
}

class DiagnosisWriter {
 public:
  explicit DiagnosisWriter(const Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  Json run(const std::vector<std::string>& not_tested) {
    Json json;
    json["declared"] = run_declared();
    Json groups = Json::array();
    Json survivors = Json::array();
    Json refuted = Json::array();
    SlackBounds bounds;
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      Json one = group_json(group);
      for (const auto& item : one.at("survivors")) survivors.push_back(item);
      for (const auto& item : one.at("refuted")) refuted.push_back(item);
      bounds.known_orders = std::max(bounds.known_orders, group.result.bounds.known_orders);
      bounds.any_order = std::max(bounds.any_order, group.result.bounds.any_order);
      groups.push_back(std::move(one));
    }
    json["survivors"] = std::move(survivors);
    json["refuted"] = std::move(refuted);
    json["slack_bounds"] = diagnosis_.groups.empty() ? Json() : bounds_json(bounds);
    json["groups"] = std::move(groups);
    json["sites"] = Json::array();
    for (const DiagnosedSite& site : diagnosis_.sites) json["sites"].push_back(site_json(site));
    json["definitions"] = definitions();
    json["not_tested"] = not_tested;
    return json;
  }

 private:
  Json proof_json(const std::optional<DiagnosisProof>& proof) const {
    if (!proof) return nullptr;
    const CaseSummary& summary = diagnosis_.sites[proof->case_index].summary;
    return {{"site", shown_name(summary)},   {"row", proof->row},
            {"index", proof->index},         {"epsilon", number_or_null(proof->epsilon)},
            {"text", proof->text},           {"steps", proof->steps},
            {"python", or_null(proof->python)}};
  }

  Json hypothesis_json(const DiagnosedHypothesis& one) const {
    Json epsilon = range_json(one.epsilon);
    if (!epsilon.is_null()) {
      epsilon["contains_declared"] = or_null(one.contains_declared);
      epsilon["well_known"] = one.well_known;
    }
    return {{"statistic", one.statistic},
            {"placement", one.placement},
            {"rounding", one.rounding},
            {"weight_offset", or_null(one.weight_offset)},
            {"qualifiers", or_null(one.qualifiers)},
            {"recipes", one.recipes},
            {"same_outputs_here", one.same_outputs_here},
            {"status", name_of(one.status)},
            {"declared_function", one.declared_function},
            {"least_slack", number(one.least_slack)},
            {"slack_of_declared", number_or_null(one.slack_of_declared)},
            {"epsilon", std::move(epsilon)},
            {"epsilon_any_order", range_json(one.epsilon_any_order)},
            {"strays", one.strays},
            {"proof", proof_json(one.proof)}};
  }

  Json elements_json(const DiagnosedElements& result) const {
    Json survivors = Json::array();
    for (const auto& one : result.survivors) survivors.push_back(hypothesis_json(one));
    Json refuted = Json::array();
    for (const auto& one : result.refuted) refuted.push_back(hypothesis_json(one));
    return {{"verdict", name_of(result.value)},
            {"outcome", name_of(result.declared)},
            {"survivors", std::move(survivors)},
            {"refuted", std::move(refuted)},
            {"slack_bounds", bounds_json(result.bounds)},
            {"declared_proof", proof_json(result.declared_proof)}};
  }

  Json group_json(const DiagnosedGroup& group) const {
    Json sites = Json::array();
    for (const std::size_t index : group.sites) {
      sites.push_back(shown_name(diagnosis_.sites[index].summary));
    }
    Json json = {{"sites", std::move(sites)}};
    const DeclaredFunction& declared = diagnosis_.sites[group.sites.front()].declared;
    json["declared_epsilon"] = declared.epsilon ? epsilon_json(*declared.epsilon) : Json();
    const Json result = elements_json(group.result);
    for (const auto& [key, value] : result.items()) json[key] = value;
    return json;
  }

  static Json outputs_only_json(const std::optional<OutputsOnly>& seen) {
    if (!seen) return nullptr;
    const auto ratio = [](double attenuation) {
      return attenuation < 1 ? Json(q_over_epsilon_at(attenuation)) : Json("inf");
    };
    return {{"rows", seen->rows},
            {"zero_rows", seen->zero_rows},
            {"non_finite_rows", seen->non_finite_rows},
            {"immaterial_rows", seen->immaterial_rows},
            {"above_one_rows", seen->above_one_rows},
            {"limit", seen->limit},
            {"attenuation",
             {{"min", seen->least_attenuation},
              {"median", seen->median_attenuation},
              {"max", seen->greatest_attenuation}}},
            {"q_over_epsilon",
             {{"min", ratio(seen->least_attenuation)},
              {"median", ratio(seen->median_attenuation)},
              {"max", ratio(seen->greatest_attenuation)}}}};
  }

  Json site_json(const DiagnosedSite& site) const {
    const CaseSummary& summary = site.summary;
    Json problems = Json::array();
    for (const HealthProblem& problem : site.health.problems) {
      problems.push_back({{"code", problem.code}, {"text", problem.text}});
    }
    Json symptoms = Json::array();
    for (const Symptom& symptom : site.symptoms) {
      symptoms.push_back({{"code", symptom.code}, {"text", symptom.text}});
    }
    Json q;
    if (summary.q) {
      q = {{"min", summary.q->min}, {"median", summary.q->median}, {"max", summary.q->max}};
    }
    Json json = {{"site", shown_name(summary)},
                 {"case", summary.id},
                 {"file", summary.file},
                 {"rows", summary.rows},
                 {"dim", summary.dim},
                 {"dtype", summary.dtype},
                 {"weight_dtype", or_null(summary.weight_dtype)},
                 {"stored_wider_as", or_null(site.stored_as)},
                 {"sha256", or_null(summary.sha256)},
                 {"q", std::move(q)},
                 {"zero_rows", site.health.zero_rows},
                 {"constant_rows", site.health.constant_rows},
                 {"pair_distance", number_or_null(site.health.distance)},
                 {"not_judged", std::move(problems)},
                 {"weight_known", !site.weight_unknown},
                 {"offset_known", !site.offset_unknown},
                 {"declared_epsilon",
                  site.declared.epsilon ? epsilon_json(*site.declared.epsilon) : Json()},
                 {"declared_from", or_null(site.declared.from)},
                 {"outputs_only", outputs_only_json(site.outputs_only)},
                 {"symptoms", std::move(symptoms)}};
    json["result"] = site.result ? elements_json(*site.result) : Json();
    return json;
  }

  Json run_declared() const {
    const DiagnosedSite* first = nullptr;
    bool shared = true;
    for (const DiagnosedSite& site : diagnosis_.sites) {
      if (first == nullptr) first = &site;
      const auto& a = first->declared.epsilon;
      const auto& b = site.declared.epsilon;
      shared = shared && a.has_value() == b.has_value() && (!a || a->binary64 == b->binary64);
    }
    Json json;
    json["function"] = declared_function_words(diagnosis_);
    const bool known = first != nullptr && shared && first->declared.epsilon;
    json["epsilon"] = known ? epsilon_json(*first->declared.epsilon) : Json();
    json["from"] = known ? or_null(first->declared.from) : Json();
    json["outcome"] = name_of(diagnosis_.declared);
    return json;
  }

  static Json definitions() {
    return {
        {"q", "mean of x^2 over the row"},
        {"least_slack",
         "the smallest relative freedom of the rows' scalar (inverse RMS, or RMS where the tail "
         "divides), in units of 2^-24, at which one epsilon gives every output of all rows"},
        {"slack_of_declared", "the same with the declared epsilon"},
        {"known_orders",
         "proven bound of the slack that any known order of summation has (block trees, lanes, "
         "cascades): a hypothesis that needs no more survives"},
        {"any_order",
         "proven bound for every order of n - 1 additions: a hypothesis that needs more is "
         "refuted; in between it is implausible"},
        {"epsilon", "range of epsilon at the bound of the known orders, rounded outward"},
        {"epsilon_any_order", "the same at the bound for every order"},
        {"placement",
         "inside: 1/sqrt(q + e); outside: 1/(sqrt(q) + e); after_rsqrt: 1/sqrt(q) + e; clamp_q: "
         "1/sqrt(max(q, e)); clamp_rms: 1/max(sqrt(q), e); on_sum: 1/sqrt((sum + e)/n); "
         "scaled_by_max: epsilon inflated by the square of the greatest element; none: 1/sqrt(q)"},
        {"pair_distance",
         "median over the rows of 1 - cosine between y / gain and x; at most 4.5e-4 where x and y "
         "belong together"}};
  }

  const Diagnosis& diagnosis_;
};

}  // namespace

Json diagnose_json(const Diagnosis& diagnosis, const std::vector<std::string>& not_tested) {
  return DiagnosisWriter(diagnosis).run(not_tested);
}

}  // namespace normcert
