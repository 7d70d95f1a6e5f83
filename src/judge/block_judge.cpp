#include "judge/block_judge.hpp"

#include <algorithm>
#include <utility>

#include "judge/certified_compare.hpp"
#include "judge/conformity.hpp"

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

class BlockJudge {
 public:
  BlockJudge(const VerifyRequest& request, const SourceRecipes& sources, const RowBlock& block,
             const CaseRows& rows)
      : request_(request),
        sources_(sources),
        block_(block),
        judged_(request.cases[block.case_index]),
        rows_(rows) {}

  std::vector<ResultTotals> run() {
    if (rows_.observed) add_results("observed", Role::kObserved, *rows_.observed);
    for (const Implementation& candidate : request_.candidates) {
      add_results(candidate.name, rows_.observed ? Role::kYardstick : Role::kCandidate,
                  outputs_of(candidate));
    }
    for (const Implementation& mutant : request_.mutants) {
      add_results(mutant.name, Role::kMutant, outputs_of(mutant));
    }
    return std::move(results_);
  }

 private:
  const Outputs& outputs_of(const Implementation& implementation) {
    const auto found = computed_.find(implementation.name);
    if (found != computed_.end()) return found->second;
    return computed_.emplace(implementation.name, implementation.outputs(rows_.value))
        .first->second;
  }

  // Which recipes' bits a result is compared with: the named ones, and the source recipe.
  void compare_bits(const TensorView& got, ResultTotals& result) {
    const auto count = [&](const Implementation& recipe) -> std::optional<std::uint64_t> {
      const auto& other = outputs_of(recipe).tensor(result.tensor);
      if (!other) return std::nullopt;
      return count_same_bits(got, *other);
    };
    for (const Implementation& recipe : request_.candidates) {
      if (const auto equal = count(recipe)) result.bit_identical[recipe.name] = *equal;
    }
    const Implementation& source = sources_.at(result.source);
    if (const auto equal = count(source)) {
      result.bit_identical[result.source] = *equal;
      result.bits = {*equal, got.size()};
      compare_rounding(source, got, *outputs_of(source).tensor(result.tensor), result);
    }
  }

  // Rows with the source recipe's bits are rounded like it; of the others each must conform.
  void compare_rounding(const Implementation& source, const TensorView& got,
                        const TensorView& emulated, ResultTotals& result) const {
    if (result.bits.equal == result.bits.of) return;
    const bool has_tail = source.recipe && result.tensor == OutputTensor::kY;
    for (std::size_t row = 0; row < got.rows; ++row) {
      if (count_same_bits(got.rows_from(row, 1), emulated.rows_from(row, 1)) == got.width) continue;
      const Tristate conforms =
          has_tail ? row_conforms(*source.recipe, rows_.value, row, got) : Tristate::kDiffers;
      if (!result.conformity.add(block_.unit, rows_.row_in_file(row), conforms)) return;
    }
  }

  void add_results(const std::string& name, Role role, const Outputs& outputs) {
    for (const OutputTensor tensor : kTensors) {
      if (tensor == OutputTensor::kResidualOut && !rows_.value.residual) continue;
      const std::optional<TensorView>& got = outputs.tensor(tensor);
      // A recipe that has no such output is not judged for it; a port that wrote none is missing.
      if (!got && role != Role::kObserved) continue;
      ResultTotals result;
      result.candidate = name;
      result.role = role;
      result.tensor = tensor;
      result.dtype = std::string((got ? got->format : rows_.value.output)->name);
      if (got) {
        result.source = source_name(judged_);
        result.comparison =
            compare_certified(rows_.value, tensor, *got, request_.criteria, 0, got->rows);
        result.comparison.rename_rows([&](std::size_t row) { return rows_.row_in_file(row); });
        compare_bits(*got, result);
      } else {
        result.comparison.expected = rows_.value.x.size();
      }
      results_.push_back(std::move(result));
    }
  }

  const VerifyRequest& request_;
  const SourceRecipes& sources_;
  const RowBlock& block_;
  const JudgedCase& judged_;
  const CaseRows& rows_;
  std::vector<ResultTotals> results_;
  std::map<std::string, Outputs> computed_;
};

}  // namespace

std::string source_name(const JudgedCase& judged) {
  return judged.source_recipe.empty() ? std::string(kRoundedReferenceName) : judged.source_recipe;
}

std::vector<ResultTotals> judge_block(const VerifyRequest& request, const SourceRecipes& sources,
                                      const RowBlock& block, const CaseRows& rows) {
  return BlockJudge(request, sources, block, rows).run();
}

}  // namespace normcert
