#include "judge/function_level.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "judge/case_rows.hpp"
#include "judge/diagnose.hpp"
#include "judge/gated_evidence.hpp"
#include "judge/outlying_rows.hpp"
#include "judge/row_choice.hpp"
#include "judge/verdict.hpp"
#include "judge/verify_totals.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostElements = std::size_t{1} << 21;  // of a case
constexpr std::size_t kMostElementsOfRun = std::size_t{1} << 25;
constexpr std::size_t kLeastRows = 16;

using RowNumbers = std::vector<std::size_t>;

RowNumbers thinned(RowNumbers rows, std::size_t count) {
  RowNumbers some = spread_rows(count, rows.size());
  for (std::size_t& row : some) row = rows[row];
  return some;
}

bool can_be_eliminated(const JudgedCase& judged) {
  const Case& value = judged.value;
  const auto fits = [](const TensorView& tensor) {
    return tensor.format->precision <= kFp32.precision;
  };
  return value.x.size() > 0 && rows_judged(judged) > 0 && !is_measured_only(value.class_name) &&
         fits(value.x) && (!value.weight || fits(*value.weight)) &&
         (!value.residual || fits(*value.residual));
}

bool has_outputs(const JudgedCase& judged) {
  return judged.observed && judged.observed->y &&
         judged.observed->y->format->precision <= kFp32.precision;
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

void prepare_for_elimination(JudgedCase& judged) {
  WeightOffset& offset = judged.value.weight_offset;
  if (offset.binary64 == 0) offset.text = "0";
  if (offset.binary64 == 1) offset.text = "1";
  judged.value.weight_offset_given = true;
  if (!judged.value.weight) judged.value.weight_none = true;
}

namespace {

// Outputs of all cases by one subject: what was observed, or what an implementation gives.
class SubjectElimination {
 public:
  SubjectElimination(const VerifyRequest& request, const Implementation* implementation,
                     bool in_the_ports_place)
      : request_(request),
        implementation_(implementation),
        in_the_ports_place_(in_the_ports_place) {}

  [[nodiscard]] bool takes(const JudgedCase& judged) const {
    if (!can_be_eliminated(judged)) return false;
    if (implementation_ == nullptr) return has_outputs(judged);
    return !(in_the_ports_place_ && judged.observed);
  }

  // Sets `diagnosis` and `case_of_site`, adds to the counts of rows; the evidence of each case.
  std::vector<FunctionEvidence> run(const VerifyTotals& totals, FunctionLevel& level) const {
    DiagnoseRequest diagnosed;
    if (request_.known_recipes) diagnosed.recipes = request_.known_recipes();
    diagnosed.threads = request_.threads;
    diagnosed.formats_are_known = implementation_ != nullptr;
    if (implementation_ == nullptr) diagnosed.formats = request_.formats;
    std::vector<std::size_t> cases;  // of the sites
    std::vector<std::optional<RowNumbers>> rows;
    std::vector<bool> of_one_classes;
    const auto count = std::ranges::count_if(request_.cases, [this](const JudgedCase& judged) {
      return takes(judged) && !judged.value.gate;
    });
    const std::size_t share =
        kMostElementsOfRun / std::max<std::size_t>(1, static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < request_.cases.size(); ++i) {
      const JudgedCase& judged = request_.cases[i];
      if (!takes(judged) || judged.value.gate) continue;
      RowNumbers some = rows_to_eliminate(judged, std::min(kMostElements, share), request_.threads);
      const bool of_one_class = add_outlying(judged, totals.at(i), some);
      level.rows += some.size();
      level.rows_of_cases += rows_judged(judged);
      // All rows of a file are not copied.
      const bool whole = some.size() == judged.value.x.rows;
      std::optional<RowNumbers> chosen = whole ? std::nullopt : std::optional(std::move(some));
      std::optional<SiteToDiagnose> site = site_of(judged, chosen);
      if (!site) continue;
      rows.push_back(std::move(chosen));
      diagnosed.sites.push_back(*std::move(site));
      cases.push_back(i);
      of_one_classes.push_back(of_one_class);
    }
    std::vector<FunctionEvidence> evidence(request_.cases.size());
    for (FunctionEvidence& one : evidence) {
      one.text = "no output of it can be judged by elimination, which takes y in up to binary32";
    }
    for (std::size_t i = 0; i < request_.cases.size(); ++i) {
      const JudgedCase& judged = request_.cases[i];
      if (!takes(judged) || !judged.value.gate) continue;
      evidence[i] = gated_evidence(judged, result_of(totals.at(i)), request_.threads);
    }
    if (cases.empty()) return evidence;
    level.diagnosis = diagnose(diagnosed);
    RowNames(level.diagnosis, rows).run();
    for (std::size_t k = 0; k < cases.size(); ++k) {
      evidence[cases[k]] = evidence_of(level.diagnosis, k);
      evidence[cases[k]].of_one_class = of_one_classes[k];
    }
    level.case_of_site = std::move(cases);
    return evidence;
  }

 private:
  // Whether every row is of the class of kernels that explains the first ones.
  bool add_outlying(const JudgedCase& judged, const CaseTotals& totals, RowNumbers& rows) const {
    bool of_one_class = false;
    const auto add = [&rows](const RowNumbers& some) {
      RowNumbers all;
      std::ranges::set_union(rows, some, std::back_inserter(all));
      rows = std::move(all);
    };
    const ResultTotals* const result = result_of(totals);
    if (result == nullptr) return of_one_class;
    add(outlying_rows(*result));
    // What an implementation computes is of one class anyway.
    if (implementation_ != nullptr) return of_one_class;
    const RowsOfClass of_class = rows_of_class(judged, *result, request_.threads);
    add(of_class.others);
    return of_class.all_conform;
  }

  // The subject's own of tensor y; nullptr: the case has none.
  [[nodiscard]] const ResultTotals* result_of(const CaseTotals& totals) const {
    const auto found = std::ranges::find_if(totals.results, [this](const ResultTotals& result) {
      const bool is_mine = implementation_ == nullptr ? result.role == Role::kObserved
                                                      : result.candidate == implementation_->name;
      return is_mine && result.tensor == OutputTensor::kY;
    });
    return found == totals.results.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::optional<SiteToDiagnose> site_of(const JudgedCase& judged,
                                                      const std::optional<RowNumbers>& rows) const {
    SiteToDiagnose site;
    site.inputs_are_ours = judged.value.class_name != "captured";
    site.judged = rows_alone(judged, rows);
    if (rows) site.row_numbers = *rows;
    if (implementation_ != nullptr) {
      site.judged.observed = implementation_->outputs(site.judged.value);
      if (!has_outputs(site.judged)) return std::nullopt;
    }
    prepare_for_elimination(site.judged);
    return site;
  }

  const VerifyRequest& request_;
  const Implementation* implementation_;  // nullptr: what was observed
  bool in_the_ports_place_;               // for cases where nothing was observed
};

bool takes_any(const VerifyRequest& request, const SubjectElimination& subject) {
  return std::ranges::any_of(request.cases,
                             [&](const JudgedCase& judged) { return subject.takes(judged); });
}

}  // namespace

bool can_judge_function(const VerifyRequest& request) {
  if (takes_any(request, {request, nullptr, false})) return true;
  const auto any_takes = [&](const std::vector<Implementation>& list, bool in_the_ports_place) {
    return std::ranges::any_of(list, [&](const Implementation& one) {
      return takes_any(request, {request, &one, in_the_ports_place});
    });
  };
  return any_takes(request.candidates, true) || any_takes(request.mutants, false);
}

FunctionLevel judge_function(const VerifyRequest& request, const VerifyTotals& totals) {
  FunctionLevel level;
  level.cases = SubjectElimination(request, nullptr, false).run(totals, level);
  const auto add = [&](const Implementation& implementation, bool in_the_ports_place) {
    const SubjectElimination subject(request, &implementation, in_the_ports_place);
    if (!takes_any(request, subject)) return;
    FunctionLevel own;
    level.named[implementation.name] = subject.run(totals, own);
    level.rows += own.rows;
    level.rows_of_cases += own.rows_of_cases;
  };
  for (const Implementation& one : request.candidates) add(one, true);
  for (const Implementation& one : request.mutants) add(one, false);
  return level;
}

}  // namespace normcert
