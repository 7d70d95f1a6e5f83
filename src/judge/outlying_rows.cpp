#include "judge/outlying_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "inference/conforming_set.hpp"
#include "judge/block_plan.hpp"
#include "judge/case_rows.hpp"
#include "judge/conformity.hpp"

namespace normcert {
namespace {

RowsOfClass block_of_class(const JudgedCase& judged, const RowBlock& block, const Recipe& recipe) {
  const CaseRows rows = rows_of(judged, block.first, block.count);
  const TensorView& got = *rows.observed->y;
  RowsOfClass found{.asked = true, .all_conform = true, .others = {}};
  std::optional<TailFitter> fitter;
  for (std::size_t row = 0; row < got.rows && found.others.size() < kMostOfAnotherClass; ++row) {
    const Tristate conforms = RowConformity(rows.value, row).conforms(recipe, got, fitter);
    found.all_conform = found.all_conform && conforms == Tristate::kSame;
    if (conforms == Tristate::kDiffers) found.others.push_back(rows.row_in_file(row));
  }
  return found;
}

RowsOfClass all_of_class(const JudgedCase& judged, const Recipe& recipe, unsigned threads) {
  const BlockPlan plan({{rows_judged(judged), judged.value.x.width}}, {});
  RowsOfClass all{.asked = true, .all_conform = true, .others = {}};
  for_each_block(
      plan.size(), threads,
      [&](std::size_t index) { return block_of_class(judged, plan[index], recipe); },
      [&](std::size_t, const RowsOfClass& block) {
        all.all_conform = all.all_conform && block.all_conform;
        const std::size_t room = kMostOfAnotherClass - all.others.size();
        const std::size_t taken = std::min(room, block.others.size());
        all.others.insert(all.others.end(), block.others.begin(),
                          block.others.begin() + static_cast<std::ptrdiff_t>(taken));
      });
  return all;
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

RowsOfClass rows_of_class(const JudgedCase& judged, const ResultTotals& result, unsigned threads) {
  const std::vector<const ClassOutcome*> surviving = result.rounding.surviving();
  if (surviving.empty()) return {};
  const TensorView& y = *judged.observed->y;
  RowsOfClass best;
  for (const RoundingClass& one : conforming_set(rounding_setting(judged.value, *y.format))) {
    if (std::ranges::find(surviving, one.name, &ClassOutcome::name) == surviving.end()) continue;
    RowsOfClass found = all_of_class(judged, one.recipe, threads);
    if (!best.asked || found.others.size() < best.others.size()) best = std::move(found);
    if (best.all_conform) break;
  }
  return best;
}

}  // namespace normcert
