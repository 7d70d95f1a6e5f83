#include "judge/function_level.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "judge/case_rows.hpp"
#include "judge/diagnose.hpp"
#include "judge/row_choice.hpp"
#include "judge/verdict.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostElements = std::size_t{1} << 21;  // of a case
constexpr std::size_t kMostElementsOfRun = std::size_t{1} << 25;
constexpr std::size_t kLeastRows = 16;

using RowNumbers = std::vector<std::size_t>;

RowNumbers thinned(const RowNumbers& rows, std::size_t count) {
  RowNumbers some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(rows[i * (rows.size() - 1) / (count - 1)]);
  return some;
}

bool is_eliminated(const JudgedCase& judged) {
  const Case& value = judged.value;
  const auto fits = [](const TensorView& tensor) {
    return tensor.format->precision <= kFp32.precision;
  };
  return judged.observed && judged.observed->y && value.x.size() > 0 && rows_judged(judged) > 0 &&
         !is_measured_only(value.class_name) && fits(value.x) && fits(*judged.observed->y) &&
         (!value.weight || fits(*value.weight)) && (!value.residual || fits(*value.residual));
}

// The rows as a case of their own: views of the file, or copies.
SiteToDiagnose site_of(const JudgedCase& judged, const std::optional<RowNumbers>& rows) {
  JudgedCase some = judged;
  some.chosen_rows = rows;
  CaseRows part = rows_of(some, 0, rows_judged(some));
  SiteToDiagnose site;
  site.inputs_are_ours = judged.value.class_name != "captured";
  site.judged = judged;
  site.judged.chosen_rows.reset();
  site.judged.value = std::move(part.value);
  site.judged.observed = std::move(part.observed);
  // However the offset was written, hypotheses have these two by these names.
  WeightOffset& offset = site.judged.value.weight_offset;
  if (offset.binary64 == 0) offset.text = "0";
  if (offset.binary64 == 1) offset.text = "1";
  site.judged.value.weight_offset_given = true;
  if (!site.judged.value.weight) site.judged.value.weight_none = true;
  return site;
}

// Gives rows the numbers that they have in their file.
class RowNames {
 public:
  RowNames(Diagnosis& diagnosis, const std::vector<std::optional<RowNumbers>>& rows)
      : diagnosis_(diagnosis), rows_(rows) {}

  void run() {
    for (DiagnosedGroup& group : diagnosis_.groups) {
      rename(group, group.joint);
      for (const std::size_t site : group.sites) rename(group, *diagnosis_.sites[site].result);
    }
  }

 private:
  void rename(const DiagnosedGroup& group, Elimination& elimination) const {
    for (EliminatedHypothesis& one : elimination.hypotheses) {
      rename(group, elimination, one.refutation);
      rename(group, elimination, one.declared_refutation);
      for (StrayElement& stray : one.strays) {
        ElementWitness place;
        place.site = stray.site;
        rename(site_of_witness(group, elimination, place), stray.row);
      }
    }
  }
  void rename(const DiagnosedGroup& group, const Elimination& elimination,
              Refutation& refutation) const {
    if (refutation.kind == RefutationKind::kNone) return;
    for (ElementWitness* const witness : {&refutation.first, &refutation.second}) {
      rename(site_of_witness(group, elimination, *witness), witness->row);
    }
  }
  void rename(std::size_t site, std::size_t& row) const {
    if (rows_[site]) row = rows_[site]->at(row);
  }

  Diagnosis& diagnosis_;
  const std::vector<std::optional<RowNumbers>>& rows_;
};

}  // namespace

std::vector<std::size_t> rows_to_eliminate(const JudgedCase& judged, std::size_t elements,
                                           unsigned threads) {
  const std::size_t all = rows_judged(judged);
  const std::size_t most =
      std::max(kLeastRows, elements / std::max<std::size_t>(1, judged.value.x.width));
  if (judged.chosen_rows && all > most) return thinned(*judged.chosen_rows, most);
  if (judged.chosen_rows) return *judged.chosen_rows;
  RowNumbers rows;
  if (all <= most) {
    for (std::size_t row = 0; row < all; ++row) rows.push_back(row);
    return rows;
  }
  for (const RowOrder order : {RowOrder::kSpread, RowOrder::kLowQ}) {
    JudgedCase some = judged;
    choose_rows(some, {most / 2, order}, threads);
    rows.insert(rows.end(), some.chosen_rows->begin(), some.chosen_rows->end());
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

bool can_judge_function(const VerifyRequest& request) {
  return std::ranges::any_of(request.cases, is_eliminated);
}

FunctionLevel judge_function(const VerifyRequest& request) {
  FunctionLevel level;
  DiagnoseRequest diagnosed;
  if (request.known_recipes) diagnosed.recipes = request.known_recipes();
  diagnosed.threads = request.threads;
  std::vector<std::size_t> cases;  // of the sites
  std::vector<std::optional<RowNumbers>> rows;
  const auto eliminated = std::ranges::count_if(request.cases, is_eliminated);
  const std::size_t share =
      kMostElementsOfRun / std::max<std::size_t>(1, static_cast<std::size_t>(eliminated));
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    const JudgedCase& judged = request.cases[i];
    if (!is_eliminated(judged)) continue;
    RowNumbers some = rows_to_eliminate(judged, std::min(kMostElements, share), request.threads);
    level.rows += some.size();
    level.rows_of_cases += rows_judged(judged);
    // All rows of a file are not copied.
    const bool whole = some.size() == judged.value.x.rows;
    rows.push_back(whole ? std::nullopt : std::optional(std::move(some)));
    diagnosed.sites.push_back(site_of(judged, rows.back()));
    cases.push_back(i);
  }
  level.cases.resize(request.cases.size());
  for (FunctionEvidence& evidence : level.cases) {
    evidence.text = "no output of it can be judged by elimination, which takes y in up to binary32";
  }
  if (cases.empty()) return level;
  level.diagnosis = diagnose(diagnosed);
  RowNames(level.diagnosis, rows).run();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    level.cases[cases[k]] = evidence_of(level.diagnosis, k);
  }
  return level;
}

}  // namespace normcert
