#include "report/part_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "numeric/decimal.hpp"
#include "report/or_null.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

Json hex(double value) { return hex_text(code_of(value)); }
Json row_or_null(std::optional<std::size_t> row) { return row ? Json(*row) : Json(); }

// "bf16 3f80": the bits themselves, so that a NaN keeps its payload.
Json code_json(const std::optional<Code>& code) {
  return code ? Json(fmt::format("{} {:x}", code->format->name, code->bits)) : Json();
}

template <typename Map>
Json pairs_json(const Map& map) {
  Json json = Json::array();
  for (const auto& [key, value] : map) json.push_back(Json::array({key, value}));
  return json;
}

Json witness_json(const Witness& w) {
  return {{"row", w.row},
          {"index", w.index},
          {"x", code_json(w.x)},
          {"residual", code_json(w.residual)},
          {"gate", code_json(w.gate)},
          {"weight", code_json(w.weight)},
          {"got", code_json(w.got)},
          {"exact", w.exact.hex()}};
}

Json kind_witness_json(const std::optional<KindWitness>& witness) {
  if (!witness) return nullptr;
  return {{"row", witness->row},
          {"index", witness->index},
          {"got", code_json(witness->got)},
          {"rounded", code_json(witness->rounded)}};
}

Json maximum_json(const ErrorMaximum& maximum) {
  if (!maximum.any) return nullptr;
  return {{"value", maximum.value.hex()}, {"witness", witness_json(maximum.witness)}};
}

Json comparison_json(const Comparison& c) {
  Json json;
  for (const auto& [name, member] : kComparisonCounts) json[std::string(name)] = c.*member;
  json["non_finite"] = {c.non_finite.reference, c.non_finite.got, c.non_finite.disagree};
  json["first_of_another_kind"] = kind_witness_json(c.non_finite.first);
  for (const auto& [name, member] : kComparisonMaxima) {
    json[std::string(name)] = maximum_json(c.*member);
  }
  for (const auto& [name, member] : kComparisonShares) {
    const RowShare& share = c.*member;
    json[std::string(name)] = share.any ? Json::array({hex(share.value), share.row}) : Json();
  }
  Json distances = Json::array();
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    const std::uint64_t count = c.code_distance.count(i);
    if (count > 0) distances.push_back(Json::array({i, count}));
  }
  json["code_distance"] = std::move(distances);
  json["first_outside"] = c.first_outside ? witness_json(*c.first_outside) : Json();
  json["largest_bound"] = hex(c.largest_bound);
  return json;
}

Json range_json(const ScalarRange& range) {
  return Json::array({hex(double{range.least}), hex(double{range.greatest})});
}

Json contradiction_json(const std::optional<Contradiction>& contradiction) {
  if (!contradiction) return nullptr;
  Json elements = Json::array();
  for (const ConstrainedElement& element : contradiction->elements) {
    elements.push_back({{"index", element.index},
                        {"x", code_json(element.x)},
                        {"residual", code_json(element.residual)},
                        {"gate", code_json(element.gate)},
                        {"weight", code_json(element.weight)},
                        {"got", code_json(element.got)},
                        {"needs", element.scalars ? range_json(*element.scalars) : Json()}});
  }
  return {{"of_rms", contradiction->of_rms},
          {"allowed", range_json(contradiction->allowed)},
          {"elements", std::move(elements)}};
}

Json conformity_json(const ConformityTotals& conformity) {
  return {{"conforming", pairs_json(conformity.conforming())},
          {"undecided", row_or_null(conformity.undecided())},
          {"differing", row_or_null(conformity.differing())},
          {"differing_unit", conformity.differing_unit()},
          {"contradiction", contradiction_json(conformity.contradiction())}};
}

Json rounding_json(const RoundingTotals& rounding) {
  Json classes = Json::array();
  for (const ClassOutcome& one : rounding.classes) {
    classes.push_back({{"name", one.name},
                       {"recipe", or_null(one.recipe)},
                       {"differs", one.differs},
                       {"is_source", one.is_source},
                       {"reproduced", one.reproduced},
                       {"refuted", one.refuted}});
  }
  return {{"rows", rounding.rows},
          {"source_class", or_null(rounding.source_class)},
          {"classes", std::move(classes)}};
}

Json result_totals_json(const ResultTotals& r) {
  return {{"candidate", r.candidate},
          {"role", name_of(r.role)},
          {"tensor", name_of(r.tensor)},
          {"dtype", r.dtype},
          {"source", or_null(r.source)},
          {"bit_identical", pairs_json(r.bit_identical)},
          {"bits", {r.bits.equal, r.bits.of}},
          {"conformity", conformity_json(r.conformity)},
          {"rounding", rounding_json(r.rounding)},
          {"comparison", comparison_json(r.comparison)}};
}

Json figures_json(const std::optional<RowFigures>& figures) {
  if (!figures) return nullptr;
  return Json::array({hex(figures->q), hex(figures->q_over_epsilon), hex(figures->attenuation)});
}

Json rows_json(const RowStatistics& rows) {
  return {{"finite", rows.rows_finite},
          {"non_finite", rows.rows_non_finite},
          {"least", figures_json(rows.least)},
          {"median", figures_json(rows.median)},
          {"greatest", figures_json(rows.greatest)},
          {"q_counts", pairs_json(rows.q_counts)}};
}

Json totals_json(const VerifyTotals& totals) {
  Json json = Json::array();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const RowStatistics& rows = totals[i].rows;
    if (rows.rows_finite + rows.rows_non_finite == 0) continue;  // all in other parts
    Json results = Json::array();
    for (const ResultTotals& result : totals[i].results) {
      results.push_back(result_totals_json(result));
    }
    json.push_back({{"case", i}, {"rows", rows_json(rows)}, {"results", std::move(results)}});
  }
  return json;
}

Json run_json(const VerifyReport& report) {
  Json claims = Json::array();
  for (const ClaimOutcome& claim : report.claims) {
    claims.push_back(Json::array({claim.first_case, claim.end_case}));
  }
  Json cases = Json::array();
  for (const CaseTotals& totals : report.totals) {
    const CaseSummary& summary = totals.summary;
    cases.push_back(
        {{"covers", summary.covers}, {"expected", pairs_json(summary.expected_verdicts)}});
  }
  return {{"allow_inconclusive", report.allow_inconclusive},
          {"candidates", report.candidates},
          {"not_tested", report.not_tested},
          {"claims", std::move(claims)},
          {"cases", std::move(cases)}};
}

}  // namespace

Json part_json(const VerifyReport& report) {
  return {{"index", report.part->index},
          {"of", report.part->of},
          {"run", run_json(report)},
          {"totals", totals_json(report.totals)}};
}

}  // namespace normcert
