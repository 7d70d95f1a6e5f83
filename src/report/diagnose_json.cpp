#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "inference/input_view.hpp"
#include "report/diagnose_report.hpp"
#include "report/diagnose_words.hpp"
#include "report/epsilon_json.hpp"
#include "report/or_null.hpp"
#include "report/refutation_proof.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

// Non-finite numbers are strings, as in every report.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

Json number_or_null(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json range_json(const EpsilonRange& range) {
  if (range.empty()) return nullptr;
  return {{"low", number(range.low)}, {"high", number(range.high)}};
}

Json bounds_json(double known_orders, double any_order) {
  return {
      {"known_orders", number(known_orders)}, {"any_order", number(any_order)}, {"unit", 0x1p-24}};
}

bool is_declared_form(const SlackOfEpsilon& one) { return one.name.starts_with("declared"); }

// "binary64", "binary32", "T": the form in which the declared epsilon lies in the range.
Json contained_form(const EliminatedHypothesis& one) {
  bool declared = false;
  for (const SlackOfEpsilon& form : one.slack_of) {
    if (!is_declared_form(form)) continue;
    declared = true;
    if (!one.epsilon.contains(form.epsilon)) continue;
    if (form.name == "declared") return "binary64";
    return form.name == "declared as fp32" ? "binary32" : "T";
  }
  return declared ? Json("no") : Json();
}

std::optional<double> slack_of_declared(const EliminatedHypothesis& one) {
  std::optional<double> least;
  for (const SlackOfEpsilon& form : one.slack_of) {
    if (is_declared_form(form) && (!least || form.slack < *least)) least = form.slack;
  }
  return least;
}

Json usual_tests_json(const UsualTests& tests) {
  return {{"epsilon", tests.epsilon_text},
          {"value", number(tests.epsilon)},
          {"elements", tests.elements},
          {"rtol", tests.rtol},
          {"atol", tests.atol},
          {"beyond_assert_close", tests.beyond},
          {"one_minus_cosine", number(tests.one_minus_cosine())},
          {"nmse", number(tests.nmse())}};
}

class DiagnosisWriter {
 public:
  explicit DiagnosisWriter(const Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  Json run(const std::vector<std::string>& not_tested) {
    Json json;
    json["headline"] = diagnosis_headline(diagnosis_);
    json["declared"] = declared();
    Json groups = Json::array();
    Json survivors = Json::array();
    Json refuted = Json::array();
    double known_orders = 0;
    double any_order = 0;
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      Json one = group_json(group);
      for (const auto& item : one.at("survivors")) survivors.push_back(item);
      for (const auto& item : one.at("refuted")) refuted.push_back(item);
      known_orders = std::max(known_orders, group.joint.known_orders);
      any_order = std::max(any_order, group.joint.any_order);
      groups.push_back(std::move(one));
    }
    json["survivors"] = std::move(survivors);
    json["refuted"] = std::move(refuted);
    json["slack_bounds"] =
        diagnosis_.groups.empty() ? Json() : bounds_json(known_orders, any_order);
    json["groups"] = std::move(groups);
    json["sites"] = Json::array();
    for (std::size_t i = 0; i < diagnosis_.sites.size(); ++i) json["sites"].push_back(site_json(i));
    json["definitions"] = diagnosis_definitions();
    json["not_tested"] = not_tested;
    return json;
  }

 private:
  [[nodiscard]] Json declared() const {
    const DiagnosedSite* first = nullptr;
    bool shared = true;
    for (const DiagnosedSite& site : diagnosis_.sites) {
      if (first == nullptr) first = &site;
      shared = shared && first->declared.has_value() == site.declared.has_value() &&
               (!site.declared || first->declared->binary64 == site.declared->binary64);
    }
    const bool known = first != nullptr && shared && first->declared;
    return {{"function", declared_words(diagnosis_)},
            {"epsilon", known ? epsilon_json(*first->declared) : Json()},
            {"from", known ? or_null(first->declared_from) : Json()},
            {"outcome", name_of(diagnosis_.declared)}};
  }

  [[nodiscard]] Json proof_json(const DiagnosedGroup& group, const Elimination& elimination,
                                const EliminatedHypothesis& one, const Refutation& refutation,
                                const std::optional<Epsilon>& refuted) const {
    if (refutation.kind == RefutationKind::kNone) return nullptr;
    const std::size_t first = site_of_witness(group, elimination, refutation.first);
    const std::size_t second = site_of_witness(group, elimination, refutation.second);
    const DiagnosedSite& site = diagnosis_.sites[first];
    ProofRequest request;
    request.hypothesis = one.hypothesis;
    request.refutation = refutation;
    if (refuted) {
      request.refuted = NamedEpsilon{refuted->text, refuted->binary64};
      request.fits = fitting_epsilon(one);
    }
    request.first_site = shown_name(site.summary);
    request.second_site = shown_name(diagnosis_.sites[second].summary);
    const FloatFormat* const converted = converted_format(one.hypothesis);
    request.x_format = converted != nullptr ? converted : site.x_format;
    request.y_format = site.y_format;
    request.width = site.summary.dim;
    const std::optional<RefutationProof> proof = proof_of(request);
    if (!proof) return nullptr;
    return {{"site", proof->site}, {"row", proof->row},     {"index", proof->index},
            {"text", proof->text}, {"steps", proof->steps}, {"python", or_null(proof->python)}};
  }

  // Why the declared epsilon is impossible: under the declared function that comes nearest.
  [[nodiscard]] Json declared_proof(const DiagnosedGroup& group,
                                    const Elimination& elimination) const {
    if (elimination.declared != DeclaredOutcome::kImpossible) return nullptr;
    const DiagnosedSite& site = diagnosis_.sites[group.sites.front()];
    for (const EliminatedHypothesis& one : elimination.hypotheses) {
      if (!is_declared_function(one.hypothesis, site)) continue;
      const bool of_epsilon = one.declared_refutation.kind != RefutationKind::kNone;
      Json proof = of_epsilon
                       ? proof_json(group, elimination, one, one.declared_refutation, site.declared)
                       : proof_json(group, elimination, one, one.refutation, std::nullopt);
      if (!proof.is_null()) {
        proof["rounding"] = one.hypothesis.rounding;
        return proof;
      }
    }
    return nullptr;
  }

  [[nodiscard]] static Json hypothesis_names(const Elimination& elimination,
                                             const std::vector<std::size_t>& indices) {
    Json names = Json::array();
    for (const std::size_t index : indices) {
      const Hypothesis& one = elimination.hypotheses.at(index).hypothesis;
      names.push_back(one.statistic + ", " + one.placement + ", " + one.rounding);
    }
    return names;
  }

  [[nodiscard]] Json strays_json(const DiagnosedGroup& group, const Elimination& elimination,
                                 const EliminatedHypothesis& one) const {
    Json strays = Json::array();
    for (const StrayElement& stray : one.strays) {
      ElementWitness place;
      place.site = stray.site;
      const std::size_t site = site_of_witness(group, elimination, place);
      strays.push_back({{"site", shown_name(diagnosis_.sites[site].summary)},
                        {"row", stray.row},
                        {"index", stray.index}});
    }
    return strays;
  }

  [[nodiscard]] Json epsilon_range_json(const EliminatedHypothesis& one) const {
    Json json = one.has_epsilon ? range_json(one.epsilon) : Json();
    if (json.is_null()) return json;
    json["contains_declared"] = contained_form(one);
    json["well_known"] = Json::array();
    for (const SlackOfEpsilon& form : one.slack_of) {
      if (!is_declared_form(form) && one.epsilon.contains(form.epsilon)) {
        json["well_known"].push_back(form.name);
      }
    }
    json["format_is_the_limit"] = one.format_limits;
    return json;
  }

  [[nodiscard]] Json hypothesis_json(const DiagnosedGroup& group, const Elimination& elimination,
                                     const EliminatedHypothesis& one, bool with_proof) const {
    const Hypothesis& words = one.hypothesis;
    Json slack_of = Json::array();
    for (const SlackOfEpsilon& form : one.slack_of) {
      // What a refuted hypothesis would need at well-known epsilons nobody asks.
      if (one.status == HypothesisStatus::kRefuted && !is_declared_form(form)) continue;
      slack_of.push_back(
          {{"epsilon", form.name}, {"value", number(form.epsilon)}, {"slack", number(form.slack)}});
    }
    const DiagnosedSite& site = diagnosis_.sites[group.sites.front()];
    return {{"statistic", words.statistic},
            {"placement", words.placement},
            {"rounding", words.rounding},
            {"weight_offset", or_null(words.weight_offset)},
            {"weight_use", words.weight_use},
            {"residual", or_null(words.residual)},
            {"is_declared_function", is_declared_function(words, site)},
            {"recipes", one.recipes},
            {"same_outputs_here", hypothesis_names(elimination, one.same_outputs_here)},
            {"status", name_of(one.status)},
            {"order", or_null(one.order)},
            {"least_slack", number(one.least_slack)},
            {"slack_of_declared", number_or_null(slack_of_declared(one))},
            {"slack_of", std::move(slack_of)},
            {"slack_bounds", bounds_json(one.known_orders, one.any_order)},
            {"best_epsilon",
             one.has_epsilon && std::isfinite(one.least_slack) ? number(one.best_epsilon) : Json()},
            {"epsilon", epsilon_range_json(one)},
            {"epsilon_any_order", one.has_epsilon ? range_json(one.epsilon_any_order) : Json()},
            {"strays", one.stray_count},
            {"stray_elements", strays_json(group, elimination, one)},
            {"proof", with_proof ? proof_json(group, elimination, one, one.refutation, std::nullopt)
                                 : Json()}};
  }

  [[nodiscard]] Json elimination_json(const DiagnosedGroup& group, const Elimination& elimination,
                                      bool with_proofs) const {
    Json survivors = Json::array();
    Json refuted = Json::array();
    for (const EliminatedHypothesis& one : elimination.hypotheses) {
      const bool is_refuted = one.status == HypothesisStatus::kRefuted;
      (is_refuted ? refuted : survivors)
          .push_back(hypothesis_json(group, elimination, one, with_proofs));
    }
    const RowCounts& rows = elimination.rows;
    return {{"verdict", name_of(value_of(elimination.outcome))},
            {"outcome", name_of(elimination.declared)},
            {"declared_as", or_null(elimination.declared_as)},
            {"rows",
             {{"all", rows.rows},
              {"judged", rows.judged},
              {"zero", rows.zero},
              {"non_finite_input", rows.non_finite_input},
              {"no_number", rows.no_number},
              {"out_of_range", rows.out_of_range},
              {"zero_rows_nan", rows.zero_rows_nan}}},
            {"outputs", {{"nan", rows.nan_outputs}, {"infinite", rows.infinite_outputs}}},
            {"q", {{"min", number(elimination.q_min)}, {"max", number(elimination.q_max)}}},
            {"slack_bounds", bounds_json(elimination.known_orders, elimination.any_order)},
            {"with_strays", elimination.with_strays},
            {"symptoms", elimination.symptoms},
            {"declared_proof", declared_proof(group, elimination)},
            {"survivors", std::move(survivors)},
            {"refuted", std::move(refuted)}};
  }

  [[nodiscard]] Json group_json(const DiagnosedGroup& group) const {
    Json json;
    json["sites"] = Json::array();
    for (const std::size_t index : group.sites) {
      json["sites"].push_back(shown_name(diagnosis_.sites[index].summary));
    }
    const std::optional<Epsilon>& declared = diagnosis_.sites[group.sites.front()].declared;
    json["declared_epsilon"] = declared ? epsilon_json(*declared) : Json();
    json["usual_tests"] = usual_tests(group);
    json.update(elimination_json(group, group.joint, true));
    return json;
  }

  // Of all sites of the group together.
  [[nodiscard]] Json usual_tests(const DiagnosedGroup& group) const {
    std::vector<UsualTests> sums;
    for (const std::size_t index : group.sites) {
      const std::vector<UsualTests>& tests = diagnosis_.sites[index].usual_tests;
      for (std::size_t k = 0; k < tests.size(); ++k) {
        if (k < sums.size()) {
          sums[k].add(tests[k]);
        } else {
          sums.push_back(tests[k]);
        }
      }
    }
    Json json = Json::array();
    for (const UsualTests& sum : sums) json.push_back(usual_tests_json(sum));
    return json;
  }

  [[nodiscard]] static Json outputs_only_json(const std::optional<OutputsOnly>& seen) {
    if (!seen) return nullptr;
    const auto spread = [&](auto conversion) -> Json {
      return {{"min", conversion(seen->least_attenuation)},
              {"median", conversion(seen->median_attenuation)},
              {"max", conversion(seen->greatest_attenuation)}};
    };
    return {{"rows", seen->rows},
            {"zero_rows", seen->zero_rows},
            {"non_finite_rows", seen->non_finite_rows},
            {"immaterial_rows", seen->immaterial_rows},
            {"above_one_rows", seen->above_one_rows},
            {"limit", seen->limit},
            {"attenuation", spread([](double value) { return Json(value); })},
            {"q_over_epsilon", spread([](double value) {
               return value < 1 ? Json(q_over_epsilon_at(value)) : Json("inf");
             })}};
  }

  [[nodiscard]] static Json sum_json(const std::optional<SumCheck>& sum) {
    if (!sum) return nullptr;
    Json first;
    if (sum->first) {
      first = {{"row", sum->first->row},         {"index", sum->first->index},
               {"x", number(sum->first->x)},     {"residual", number(sum->first->residual)},
               {"got", number(sum->first->got)}, {"expected", number(sum->first->expected)}};
    }
    return {{"rounded_to", sum->format->name},
            {"elements", sum->elements},
            {"differing", sum->differing},
            {"first", std::move(first)}};
  }

  [[nodiscard]] Json site_json(std::size_t index) const {
    const DiagnosedSite& site = diagnosis_.sites[index];
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
    Json json = {
        {"site", shown_name(summary)},
        {"case", summary.id},
        {"file", or_null(summary.file)},
        {"rows", summary.rows_in_file},
        {"dim", summary.dim},
        {"dtype", site.x_format != nullptr ? Json(site.x_format->name) : Json()},
        {"output_dtype", site.y_format != nullptr ? Json(site.y_format->name) : Json()},
        {"weight_dtype", or_null(summary.weight_dtype)},
        {"stored_as", or_null(site.stored_as)},
        {"sha256", or_null(summary.sha256)},
        {"q", std::move(q)},
        {"zero_rows", site.health.zero_rows},
        {"constant_rows", site.health.constant_rows},
        {"pair_distance", number_or_null(site.health.distance)},
        {"not_judged", std::move(problems)},
        {"weight_known", site.weight_known},
        {"weight_offset", site.offset_known ? or_null(summary.weight_offset_text) : Json()},
        {"declared_epsilon", site.declared ? epsilon_json(*site.declared) : Json()},
        {"declared_from", or_null(site.declared_from)},
        {"outputs_only", outputs_only_json(site.outputs_only)},
        {"residual_out", sum_json(site.sum)},
        {"symptoms", std::move(symptoms)}};
    json["result"] = nullptr;
    for (const DiagnosedGroup& group : diagnosis_.groups) {
      if (!site.result || std::ranges::find(group.sites, index) == group.sites.end()) continue;
      json["result"] = elimination_json(group, *site.result, false);
    }
    return json;
  }

  const Diagnosis& diagnosis_;
};

}  // namespace

Json diagnose_json(const Diagnosis& diagnosis, const std::vector<std::string>& not_tested) {
  return DiagnosisWriter(diagnosis).run(not_tested);
}

}  // namespace normcert
