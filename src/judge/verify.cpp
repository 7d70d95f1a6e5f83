#include "judge/verify.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "judge/case_summary.hpp"
#include "judge/certified_compare.hpp"
#include "judge/conformity.hpp"
#include "judge/verdict.hpp"

namespace normcert {
namespace {

constexpr OutputTensor kTensors[] = {OutputTensor::kY, OutputTensor::kResidualOut};

std::uint64_t count_same_bits(const TensorView& a, const TensorView& b) {
  if (!(*a.format == *b.format)) return 0;  // another dtype: no element has the same bits
  std::uint64_t equal = 0;
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t i = 0; i < a.width; ++i) {
      if (same_bits(a.at(row, i), b.at(row, i))) ++equal;
    }
  }
  return equal;
}

struct CaseOutcome {
  CaseSummary summary;
  std::vector<SubjectResult> results;
};

// One case with everything that is compared with it; outputs of recipes are computed once.
class CaseJudge {
 public:
  CaseJudge(const VerifyRequest& request, std::size_t index)
      : request_(request), index_(index), judged_(request.cases[index]) {}

  CaseOutcome run() {
    outcome_.summary = summarise(judged_);
    if (!judged_.value.expect.empty()) {
      outcome_.summary.expectation = check_expectation(judged_.value, judged_.file);
    }
    if (judged_.observed) add_results("observed", Role::kObserved, *judged_.observed);
    for (const Implementation& candidate : request_.candidates) {
      add_results(candidate.name, judged_.observed ? Role::kYardstick : Role::kCandidate,
                  outputs_of(candidate));
    }
    for (const Implementation& mutant : request_.mutants) {
      add_results(mutant.name, Role::kMutant, outputs_of(mutant));
    }
    return std::move(outcome_);
  }

 private:
  const Outputs& outputs_of(const Implementation& implementation) {
    const auto found = computed_.find(implementation.name);
    if (found != computed_.end()) return found->second;
    return computed_.emplace(implementation.name, implementation.outputs(judged_.value))
        .first->second;
  }

  // Which recipes' bits a result is compared with: the named ones, and the source recipe.
  void compare_bits(const TensorView& got, SubjectResult& result) {
    const auto count = [&](const Implementation& recipe) -> std::optional<std::uint64_t> {
      const auto& other = outputs_of(recipe).tensor(result.tensor);
      if (!other) return std::nullopt;
      return count_same_bits(got, *other);
    };
    for (const Implementation& recipe : request_.candidates) {
      if (const auto equal = count(recipe)) result.bit_identical[recipe.name] = *equal;
    }
    const std::string source =
        judged_.source_recipe.empty() ? std::string(kRoundedReferenceName) : judged_.source_recipe;
    result.equality.source = source;
    const Implementation recipe = request_.find_implementation(source);
    if (const auto equal = count(recipe)) {
      result.bit_identical[source] = *equal;
      result.equality.bits = {*equal, got.size()};
      compare_rounding(recipe, got, *outputs_of(recipe).tensor(result.tensor), result);
    }
    for (const auto& [name, equal] : result.bit_identical) {
      if (equal == got.size()) result.equality.rounded_as.push_back(name);
    }
  }

  // Rows with the source recipe's bits are rounded like it; of the others each must conform.
  void compare_rounding(const Implementation& source, const TensorView& got,
                        const TensorView& emulated, SubjectResult& result) const {
    Equality& equality = result.equality;
    equality.rounding = Tristate::kSame;
    if (equality.bits.equal == equality.bits.of) return;
    for (std::size_t row = 0; row < got.rows; ++row) {
      if (count_same_bits(got.rows_from(row, 1), emulated.rows_from(row, 1)) == got.width) continue;
      const bool has_tail = source.recipe && result.tensor == OutputTensor::kY;
      const Tristate conforms =
          has_tail ? row_conforms(*source.recipe, judged_.value, row, got) : Tristate::kDiffers;
      if (conforms == Tristate::kSame) {
        ++equality.rows_by_conformity;
        continue;
      }
      if (!equality.first_other_row || conforms == Tristate::kDiffers) {
        equality.first_other_row = row;
      }
      equality.rounding = conforms;
      if (conforms == Tristate::kDiffers) return;
    }
  }

  void add_results(const std::string& name, Role role, const Outputs& outputs) {
    for (const OutputTensor tensor : kTensors) {
      if (tensor == OutputTensor::kResidualOut && !judged_.value.residual) continue;
      const std::optional<TensorView>& got = outputs.tensor(tensor);
      // A recipe that has no such output is not judged for it; a port that wrote none is missing.
      if (!got && role != Role::kObserved) continue;
      SubjectResult result;
      result.candidate = name;
      result.role = role;
      result.case_index = index_;
      result.tensor = tensor;
      result.dtype = std::string((got ? got->format : judged_.value.output)->name);
      result.judged = !is_measured_only(judged_.value.class_name);
      if (got) {
        result.comparison =
            compare_certified(judged_.value, tensor, *got, request_.criteria, 0, got->rows);
        compare_bits(*got, result);
      } else {
        result.comparison.expected = judged_.value.x.size();
      }
      judge_result(outcome_.summary, request_.criteria, request_.level, result);
      outcome_.results.push_back(std::move(result));
    }
  }

  const VerifyRequest& request_;
  std::size_t index_;
  const JudgedCase& judged_;
  CaseOutcome outcome_;
  std::map<std::string, Outputs> computed_;
};

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

VerifyOutcome verify(const VerifyRequest& request, const Progress& progress) {
  VerifyOutcome outcome;
  for_each_block(
      request.cases.size(), request.threads,
      [&](std::size_t index) { return CaseJudge(request, index).run(); },
      [&](std::size_t index, CaseOutcome part) {
        outcome.cases.push_back(std::move(part.summary));
        for (SubjectResult& result : part.results) {
          outcome.results.push_back(std::move(result));
        }
        if (progress) progress(index + 1, request.cases.size());
      });
  order_results(request, outcome);
  summarise_mutants(request, outcome);
  judge_run(request, outcome);
  return outcome;
}

}  // namespace normcert
