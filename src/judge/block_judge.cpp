#include "judge/block_judge.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "judge/certified_compare.hpp"
#include "judge/conformity.hpp"
#include "judge/rounding_search.hpp"

namespace normcert {
namespace {

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
constexpr OutputTensor kTensors[] = {OutputTensor::kY, OutputTensor::kResidualOut};

// For each row of `a`, how many elements have the same bits in `b`.
std::vector<std::uint64_t> count_same_bits(const TensorView& a, const TensorView& b) {
  std::vector<std::uint64_t> equal(a.rows);
  if (!(*a.format == *b.format)) return equal;  // another dtype: no element has the same bits
  for (std::size_t row = 0; row < a.rows; ++row) {
    if (std::ranges::equal(a.row_bytes(row), b.row_bytes(row))) {
      equal[row] = a.width;
      continue;
    }
    for (std::size_t i = 0; i < a.width; ++i) {
      if (same_bits(a.at(row, i), b.at(row, i))) ++equal[row];
    }
  }
  return equal;
}

class BlockJudge {
 public:
  BlockJudge(const VerifyRequest& request, const SourceRecipes& sources, const RowBlock& block,
             const CaseRows& rows, std::span<const RowSum> sums, KnownOfCase known)
      : request_(request),
        sources_(sources),
        block_(block),
        sums_(sums),
        known_(std::move(known)),
        judged_(request.cases[block.case_index]),
        rows_(rows) {}

  std::vector<ResultTotals> run() {
    if (rows_.observed) add_results("observed", Role::kObserved, *rows_.observed);
    for (const Implementation& candidate : request_.candidates) {
      // What the port is compared with; in its place a recipe that cannot compute the case is an
      // error.
      if (rows_.observed && !takes_gate_of(candidate, rows_.value)) continue;
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
    for (const Implementation& recipe : request_.candidates) {
      if (recipe.name == result.source || !takes_gate_of(recipe, rows_.value)) continue;
      if (recipe.name == kRoundedReferenceName) {
        result.bit_identical[recipe.name] = result.comparison.rounded_bits;
      } else if (const auto rows = equal_bits(recipe, got, result)) {
        result.bit_identical[recipe.name] = std::reduce(rows->begin(), rows->end());
      }
    }
    const Implementation& source = sources_.at(result.source);
    if (source.name == kRoundedReferenceName) {
      result.bit_identical[result.source] = result.comparison.rounded_bits;
      result.bits = {result.comparison.rounded_bits, got.size()};
      if (const auto row = result.comparison.first_row_not_rounded) {
        (void)result.conformity.add(block_.unit, *row, Tristate::kDiffers);
      }
      search_rounding(source, got, {}, result);
    } else if (const auto rows = equal_bits(source, got, result)) {
      const std::uint64_t equal = std::reduce(rows->begin(), rows->end());
      result.bit_identical[result.source] = equal;
      result.bits = {equal, got.size()};
      compare_rounding(source, got, *rows, result);
      search_rounding(source, got, *rows, result);
    }
  }

  // For each row, how many of its elements have the recipe's bits; nothing where that has no such
  // output. Not of the rounded reference, whose bits the comparison has counted.
  std::optional<std::vector<std::uint64_t>> equal_bits(const Implementation& recipe,
                                                       const TensorView& got,
                                                       const ResultTotals& result) {
    if (recipe.count_same_bits && result.tensor == OutputTensor::kY &&
        !computed_.contains(recipe.name) && !is_subject(recipe)) {
      return recipe.count_same_bits(rows_.value, got);
    }
    const auto& other = outputs_of(recipe).tensor(result.tensor);
    if (!other) return std::nullopt;
    return count_same_bits(got, *other);
  }

  // Its outputs are computed anyway.
  bool is_subject(const Implementation& recipe) const {
    const auto among = [&](const std::vector<Implementation>& list) {
      return std::ranges::find(list, recipe.name, &Implementation::name) != list.end();
    };
    return among(request_.candidates) || among(request_.mutants);
  }

  // Rows with the source recipe's bits are rounded like it; of the others each must conform.
  void compare_rounding(const Implementation& source, const TensorView& got,
                        const std::vector<std::uint64_t>& equal, ResultTotals& result) const {
    const bool has_tail = source.recipe && result.tensor == OutputTensor::kY;
    std::optional<TailFitter> fitter;
    for (std::size_t row = 0; row < got.rows; ++row) {
      if (equal[row] == got.width) continue;
      RowConformity of_row(rows_.value, row);
      const Tristate conforms =
          has_tail ? of_row.conforms(*source.recipe, got, fitter) : Tristate::kDiffers;
      if (result.conformity.add(block_.unit, rows_.row_in_file(row), conforms)) continue;
      if (has_tail) result.conformity.explain(of_row.contradiction(*source.recipe, got));
      return;
    }
  }

  // Asks the conforming set where the port's first rows have other bits than the source's. `equal`
  // says of each row how many it shares; nothing where the source is the rounded reference.
  void search_rounding(const Implementation& source, const TensorView& got,
                       const std::vector<std::uint64_t>& equal, ResultTotals& result) const {
    const bool is_port = result.role == Role::kObserved || result.role == Role::kCandidate;
    if (!is_port || result.tensor != OutputTensor::kY) return;
    RoundingSearch search(rows_.value, got, source.recipe.get());
    const std::size_t first_rows =
        block_.first == 0 ? std::min(got.rows, rows_searched(got.width)) : 0;
    for (std::size_t row = 0; row < first_rows; ++row) {
      const bool same = equal.empty() ? rows_.row_in_file(row) <
                                            result.comparison.first_row_not_rounded.value_or(kNoRow)
                                      : equal[row] == got.width;
      if (same) continue;
      search.ask_first(first_rows);
      break;
    }
    if (const auto row = result.conformity.differing(); row && !equal.empty()) {
      std::size_t within = 0;
      while (rows_.row_in_file(within) != *row) ++within;
      if (within >= first_rows) search.ask(within);
    }
    if (request_.known_recipes && !search.totals().classes.empty()) {
      search.name_recipes(request_.known_recipes());
    }
    result.rounding = search.totals();
  }

  Comparison compare(Role role, OutputTensor tensor, const TensorView& got) const {
    BlockContext context{.known = {}, .row_before = {}, .sums = sums_};
    if (results_.size() < known_.errors.size()) context.known = known_.errors[results_.size()];
    if (tensor == OutputTensor::kY) {
      context.gains = known_.gains;
      context.precisely = known_.precisely;
    }
    if (role == Role::kObserved && rows_.before) {
      context.row_before =
          RowImage::of(rows_.before->value, *rows_.before->observed->tensor(tensor), 0);
    }
    Comparison found =
        compare_block(rows_.value, tensor, got, request_.criteria, 0, got.rows, context);
    found.rename_rows([this](std::size_t row) { return rows_.row_in_file(row); });
    return found;
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
        result.comparison = compare(role, tensor, *got);
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
  std::span<const RowSum> sums_;
  KnownOfCase known_;
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
                                      const RowBlock& block, const CaseRows& rows,
                                      std::span<const RowSum> sums, KnownOfCase known) {
  return BlockJudge(request, sources, block, rows, sums, std::move(known)).run();
}

}  // namespace normcert
