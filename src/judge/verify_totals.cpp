#include "judge/verify_totals.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "judge/verdict.hpp"

namespace normcert {
namespace {

std::optional<std::size_t> earlier(std::optional<std::size_t> a, std::optional<std::size_t> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

// How a class is called where it explains what the source recipe does not.
std::string explanation(const ClassOutcome& one) {
  if (one.recipe.empty()) return "with " + one.differs;
  return "as " + one.recipe + " rounds" + (one.differs.empty() ? "" : " (" + one.differs + ")");
}

void add_classes(const ResultTotals& totals, Equality& equality) {
  const RoundingTotals& rounding = totals.rounding;
  const std::vector<const ClassOutcome*> surviving = rounding.surviving();
  for (const ClassOutcome* one : surviving) equality.rounded_as.push_back(one->name);
  // Every row conforms to it, not only those that the search asked.
  if (surviving.empty() && !rounding.source_class.empty() && equality.rounding == Tristate::kSame) {
    equality.rounded_as.push_back(rounding.source_class);
  }
  if (surviving.empty() || equality.rounding != Tristate::kDiffers) return;
  const ClassOutcome& nearest = *rounding.nearest();
  if (!nearest.is_source) equality.explained_by = explanation(nearest);
}

SubjectResult result_of(const ResultTotals& totals, std::size_t case_index,
                        const CaseSummary& summary) {
  SubjectResult result;
  result.candidate = totals.candidate;
  result.role = totals.role;
  result.case_index = case_index;
  result.tensor = totals.tensor;
  result.dtype = totals.dtype;
  result.judged = !is_measured_only(summary.class_name);
  result.comparison = totals.comparison;
  result.bit_identical = totals.bit_identical;
  result.equality.source = totals.source;
  result.equality.bits = totals.bits;
  if (totals.bits.of > 0) {
    result.equality.rounding = totals.conformity.value();
    result.equality.rows_by_conformity = totals.conformity.rows_by_conformity();
    result.equality.first_other_row = totals.conformity.first_other_row();
    result.equality.contradiction = totals.conformity.contradiction();
  }
  for (const auto& [name, equal] : totals.bit_identical) {
    if (equal == totals.comparison.expected) result.equality.rounded_as.push_back(name);
  }
  add_classes(totals, result.equality);
  return result;
}

// What elimination says of one result; nullptr where it was not asked, as of a yardstick.
const FunctionEvidence* evidence_for(const FunctionLevel* function, const ResultTotals& result,
                                     std::size_t index) {
  if (function == nullptr || result.role == Role::kYardstick) return nullptr;
  if (result.role == Role::kObserved) return &function->cases.at(index);
  const auto named = function->named.find(result.candidate);
  return named == function->named.end() ? nullptr : &named->second.at(index);
}

void order_results(const VerifyRequest& request, VerifyOutcome& outcome) {
  const auto position = [](const std::vector<Implementation>& list, const std::string& name) {
    return std::ranges::find(list, name, &Implementation::name) - list.begin();
  };
  const auto key = [&](const SubjectResult& r) {
    const std::ptrdiff_t named = r.role == Role::kMutant
                                     ? position(request.mutants, r.candidate)
                                     : position(request.candidates, r.candidate);
    const int group = r.role == Role::kObserved ? 0 : (r.role == Role::kMutant ? 2 : 1);
    return std::tuple(group, group == 0 ? std::ptrdiff_t{0} : named, r.case_index, r.tensor);
  };
  std::ranges::stable_sort(outcome.results, {}, key);
}

void summarise_mutants(const VerifyRequest& request, VerifyOutcome& outcome) {
  for (const Implementation& mutant : request.mutants) {
    MutantOutcome found{mutant.name, false, ""};
    for (const SubjectResult& result : outcome.results) {
      if (result.role != Role::kMutant || result.candidate != mutant.name) continue;
      if (!result.judged || result.verdict != VerdictValue::kRejected) continue;
      found.rejected = true;
      found.by =
          result.reasons.front().code + " at " + shown_name(outcome.cases[result.case_index]);
      break;
    }
    outcome.mutants.push_back(std::move(found));
  }
}

}  // namespace

ConformityTotals::ConformityTotals(RowsOfUnits conforming, std::optional<std::size_t> undecided,
                                   std::optional<std::size_t> differing, std::size_t differing_unit,
                                   std::optional<Contradiction> contradiction)
    : conforming_(std::move(conforming)),
      undecided_(undecided),
      differing_(differing),
      differing_unit_(differing_unit),
      contradiction_(std::move(contradiction)) {}

bool ConformityTotals::add(std::size_t unit, std::size_t row, Tristate conforms) {
  if (conforms == Tristate::kSame) {
    ++conforming_[unit];
  } else if (conforms == Tristate::kUndecided) {
    undecided_ = earlier(undecided_, row);
  } else {
    differing_ = row;
    differing_unit_ = unit;
    return false;
  }
  return true;
}

void ConformityTotals::merge(const ConformityTotals& other) {
  const bool own_first = differing_ && (!other.differing_ || *differing_ < *other.differing_);
  for (const auto& [unit, count] : other.conforming_) {
    if (!own_first || unit < differing_unit_) conforming_[unit] += count;
  }
  undecided_ = earlier(undecided_, other.undecided_);
  if (own_first || !other.differing_) return;
  differing_ = other.differing_;
  differing_unit_ = other.differing_unit_;
  contradiction_ = other.contradiction_;
  conforming_.erase(conforming_.upper_bound(differing_unit_), conforming_.end());
}

Tristate ConformityTotals::value() const {
  return differing_ ? Tristate::kDiffers : (undecided_ ? Tristate::kUndecided : Tristate::kSame);
}

std::uint64_t ConformityTotals::rows_by_conformity() const {
  std::uint64_t rows = 0;
  for (const auto& [unit, count] : conforming_) rows += count;
  return rows;
}

std::optional<std::size_t> ConformityTotals::first_other_row() const {
  return differing_ ? differing_ : undecided_;
}

void ResultTotals::merge(const ResultTotals& other) {
  comparison.merge(other.comparison);
  for (const auto& [name, equal] : other.bit_identical) bit_identical[name] += equal;
  bits.equal += other.bits.equal;
  bits.of += other.bits.of;
  conformity.merge(other.conformity);
  rounding.merge(other.rounding);
}

void CaseTotals::merge(const CaseTotals& other) {
  rows.merge(other.rows);
  if (other.expectation) expectation = other.expectation;
  for (const ResultTotals& theirs : other.results) {
    const auto own = std::ranges::find_if(results, [&](const ResultTotals& result) {
      return result.candidate == theirs.candidate && result.role == theirs.role &&
             result.tensor == theirs.tensor;
    });
    if (own == results.end()) {
      results.push_back(theirs);
    } else {
      own->merge(theirs);
    }
  }
}

VerifyOutcome conclude(const VerifyRequest& request, const VerifyTotals& totals,
                       const FunctionLevel* function) {
  VerifyOutcome outcome;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    CaseSummary summary = totals[i].summary;
    describe_rows(totals[i].rows, summary.epsilon, summary);
    summary.expectation = totals[i].expectation;
    for (const ResultTotals& result : totals[i].results) {
      outcome.results.push_back(result_of(result, i, summary));
      if (const FunctionEvidence* const evidence = evidence_for(function, result, i)) {
        settle_function(*evidence, outcome.results.back());
      }
      judge_result(summary, request.criteria, request.level, outcome.results.back());
    }
    outcome.cases.push_back(std::move(summary));
  }
  order_results(request, outcome);
  summarise_mutants(request, outcome);
  judge_run(request, outcome);
  return outcome;
}

}  // namespace normcert
