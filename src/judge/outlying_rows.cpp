#include "judge/outlying_rows.hpp"

#include <algorithm>
#include <optional>

#include "blocks/for_each_block.hpp"
#include "inference/conforming_set.hpp"
#include "judge/block_plan.hpp"
#include "judge/case_rows.hpp"
#include "judge/conformity.hpp"

namespace normcert {
namespace {

std::vector<std::size_t> differing_rows(const JudgedCase& judged, const RowBlock& block,
                                        const Recipe& recipe) {
  const CaseRows rows = rows_of(judged, block.first, block.count);
  const TensorView& got = *rows.observed->y;
  std::vector<std::size_t> found;
  std::optional<TailFitter> fitter;
  for (std::size_t row = 0; row < got.rows && found.size() < kMostOfAnotherClass; ++row) {
    const Tristate conforms = RowConformity(rows.value, row).conforms(recipe, got, fitter);
    if (conforms == Tristate::kDiffers) found.push_back(rows.row_in_file(row));
  }
  return found;
}

}  // namespace

std::vector<std::size_t> outlying_rows(const ResultTotals& result) {
  const Comparison& found = result.comparison;
  std::vector<std::size_t> rows;
  for (const ErrorMaximum* const error : {&found.absolute, &found.relative, &found.ulp}) {
    if (error->any) rows.push_back(error->witness.row);
  }
  for (const RowShare* const share : {&found.coherent, &found.incoherent}) {
    if (share->any) rows.push_back(share->row);
  }
  if (const auto row = result.conformity.differing()) rows.push_back(*row);
  if (found.non_finite.first) rows.push_back(found.non_finite.first->row);
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

std::vector<std::size_t> rows_of_another_class(const JudgedCase& judged, const ResultTotals& result,
                                               unsigned threads) {
  const ClassOutcome* const nearest = result.rounding.nearest();
  if (nearest == nullptr) return {};
  const TensorView& y = *judged.observed->y;
  const std::vector<RoundingClass> classes =
      conforming_set(rounding_setting(judged.value, *y.format));
  const auto own = std::ranges::find(classes, nearest->name, &RoundingClass::name);
  if (own == classes.end()) return {};
  const BlockPlan plan({{rows_judged(judged), judged.value.x.width}}, {});
  std::vector<std::size_t> rows;
  for_each_block(
      plan.size(), threads,
      [&](std::size_t index) { return differing_rows(judged, plan[index], own->recipe); },
      [&](std::size_t, const std::vector<std::size_t>& found) {
        const std::size_t room = kMostOfAnotherClass - rows.size();
        rows.insert(rows.end(), found.begin(),
                    found.begin() + static_cast<std::ptrdiff_t>(std::min(room, found.size())));
      });
  return rows;
}

}  // namespace normcert
