#include "report/result_json.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "numeric/decimal.hpp"
#include "report/or_null.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kExactDigits = 40;

Json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  Json json = {{"min", spread->min}, {"median", spread->median}, {"max", spread->max}};
  if (spread->median_within) json["median_within"] = *spread->median_within;
  return json;
}

Json code_json(const std::optional<Code>& code) { return code ? Json(hex_text(*code)) : Json(); }

Json maximum_json(const ErrorMaximum& maximum) {
  if (!maximum.any) return nullptr;
  const double value = maximum.value.to_binary64();
  const Witness& w = maximum.witness;
  return {{"value", value},
          {"hex", hex_text(code_of(value))},
          {"row", w.row},
          {"index", w.index},
          {"x", hex_text(w.x)},
          {"residual", code_json(w.residual)},
          {"gate", code_json(w.gate)},
          {"weight", code_json(w.weight)},
          {"exact", w.exact.scientific(kExactDigits)},
          {"got", hex_text(w.got)}};
}

Json kind_witness_json(const std::optional<KindWitness>& witness) {
  if (!witness) return nullptr;
  return {{"row", witness->row},
          {"index", witness->index},
          {"got", hex_text(witness->got)},
          {"bits", bits_text(witness->got)},
          {"rounded", hex_text(witness->rounded)}};
}

// To four significant digits, which are proven (judge/row_factor.hpp).
Json row_share_json(const RowShare& share) {
  if (!share.any) return nullptr;
  return {{"value", std::strtod(fmt::format("{:.3e}", share.value).c_str(), nullptr)},
          {"row", share.row}};
}

Json histogram_json(const CodeDistanceHistogram& histogram) {
  Json json = Json::object();
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    if (histogram.count(i) > 0) json[CodeDistanceHistogram::label(i)] = histogram.count(i);
  }
  return json;
}

Json range_json(const ScalarRange& range) {
  const double least = range.least;
  const double greatest = range.greatest;
  return {{"least", least},
          {"least_hex", hex_text(code_of(least))},
          {"greatest", greatest},
          {"greatest_hex", hex_text(code_of(greatest))}};
}

Json contradiction_json(const std::optional<Contradiction>& contradiction) {
  if (!contradiction) return nullptr;
  Json elements = Json::array();
  for (const ConstrainedElement& element : contradiction->elements) {
    elements.push_back({{"index", element.index},
                        {"x", hex_text(element.x)},
                        {"residual", code_json(element.residual)},
                        {"gate", code_json(element.gate)},
                        {"weight", code_json(element.weight)},
                        {"got", hex_text(element.got)},
                        {"needs", element.scalars ? range_json(*element.scalars) : Json()}});
  }
  return {{"scalar", scalar_name(*contradiction)},
          {"allowed", range_json(contradiction->allowed)},
          {"elements", std::move(elements)}};
}

Json equality_json(const Equality& equality) {
  return {
      {"function", name_of(equality.function)},
      {"rounding",
       {{"as", equality.rounded_as},
        {"source", or_null(equality.source)},
        {"same", name_of(equality.rounding)},
        {"rows_by_conformity", equality.rows_by_conformity},
        {"first_other_row", equality.first_other_row ? Json(*equality.first_other_row) : Json()},
        {"contradiction", contradiction_json(equality.contradiction)}}},
      {"bits", {{"equal", equality.bits.equal}, {"of", equality.bits.of}}}};
}

Json tolerance_json(const Comparison& c, const Criteria& criteria) {
  if (!criteria.any()) return nullptr;
  Json json = Json::object();
  if (criteria.tolerance) {
    json["outside"] = c.outside_tolerance;
    json["unattainable"] = c.unattainable;
    json["first_outside"] = nullptr;
    if (c.first_outside) {
      const Witness& w = *c.first_outside;
      json["first_outside"] = {{"row", w.row},
                               {"index", w.index},
                               {"x", hex_text(w.x)},
                               {"weight", code_json(w.weight)},
                               {"exact", w.exact.scientific(kExactDigits)},
                               {"got", hex_text(w.got)}};
    }
  }
  if (criteria.max_ulp) json["beyond_max_ulp"] = c.beyond_max_ulp;
  return json;
}

Json expectation_json(const std::optional<ExpectationOutcome>& outcome) {
  if (!outcome) return nullptr;
  Json failures = Json::array();
  for (const ExpectationFailure& failure : outcome->failures) {
    failures.push_back(
        {{"place", failure.place}, {"expected", failure.expected}, {"found", failure.found}});
  }
  return {{"checked", outcome->checked}, {"failures", std::move(failures)}};
}

}  // namespace

Json case_json(const CaseSummary& s) {
  Json metadata = Json::object();
  for (const auto& [key, value] : s.metadata) metadata[key] = value;
  return {
      {"id", s.id},
      {"site", or_null(s.site)},
      {"class", or_null(s.class_name)},
      {"file", or_null(s.file)},
      {"rows", s.rows},
      {"rows_in_file", s.rows_in_file},
      {"rows_chosen", s.rows_chosen},
      {"rows_non_finite", s.rows_non_finite},
      {"dim", s.dim},
      {"dtype", s.dtype},
      {"weight_dtype", or_null(s.weight_dtype)},
      {"residual", s.has_residual},
      {"gate", s.gate_mode.empty()
                   ? Json()
                   : Json{{"mode", s.gate_mode}, {"activation", s.gate_activation}}},
      {"epsilon",
       {{"text", s.epsilon_text}, {"binary64", s.epsilon}, {"hex", hex_text(code_of(s.epsilon))}}},
      {"weight_offset", s.weight_offset_text},
      {"sha256", or_null(s.sha256)},
      {"metadata", std::move(metadata)},
      {"q", spread_json(s.q)},
      {"q_over_epsilon", spread_json(s.q_over_epsilon)},
      {"attenuation", spread_json(s.attenuation)},
      {"expectation", expectation_json(s.expectation)}};
}

Json result_json(const SubjectResult& r, const CaseSummary& summary, const Criteria& criteria) {
  const Comparison& c = r.comparison;
  Json identical = Json::object();
  for (const auto& [name, equal] : r.bit_identical) identical[name] = equal;
  Json reasons = Json::array();
  for (const Reason& reason : r.reasons) {
    reasons.push_back({{"code", reason.code}, {"text", reason.text}});
  }
  return {{"candidate", r.candidate},
          {"role", name_of(r.role)},
          {"case", summary.id},
          {"site", or_null(summary.site)},
          {"tensor", name_of(r.tensor)},
          {"dtype", r.dtype},
          {"compared", c.compared},
          {"expected", c.expected},
          {"rows_set_apart", c.rows_set_apart},
          {"non_finite",
           {{"reference", c.non_finite.reference},
            {"got", c.non_finite.got},
            {"disagree", c.non_finite.disagree},
            {"first", kind_witness_json(c.non_finite.first)}}},
          {"max_abs_error", maximum_json(c.absolute)},
          {"max_rel_error", maximum_json(c.relative)},
          {"max_ulp_error", maximum_json(c.ulp)},
          {"coherent_error", row_share_json(c.coherent)},
          {"incoherent_error", row_share_json(c.incoherent)},
          {"below_normal", c.below_normal},
          {"correctly_rounded", c.correctly_rounded},
          {"faithful", c.faithful},
          {"zero_sign_differs", c.zero_sign_differs},
          {"code_distance", histogram_json(c.code_distance)},
          {"bit_identical_to_recipe", std::move(identical)},
          {"equality", equality_json(r.equality)},
          {"tolerance", tolerance_json(c, criteria)},
          {"verdict", name_of(r.verdict)},
          {"judged", r.judged},
          {"reasons", std::move(reasons)},
          {"as_expected", r.as_expected ? Json(*r.as_expected) : Json()}};
}

}  // namespace normcert
