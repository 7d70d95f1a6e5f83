#include "judge/power_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "judge/block_plan.hpp"
#include "judge/case_rows.hpp"
#include "judge/row_choice.hpp"
#include "reference/row_sums.hpp"

namespace normcert {
namespace {

constexpr std::size_t kChunkElements = std::size_t{1} << 20;
constexpr std::size_t kExtremes = 32;
constexpr std::size_t kSpread = 64;

struct RowSize {
  double sum = 0;
  std::size_t row = 0;
};

// Finite rows that are judged, in their order.
std::vector<RowSize> sizes_of(const JudgedCase& judged, unsigned threads) {
  const Case& value = judged.value;
  const std::size_t rows = rows_judged(judged);
  const std::size_t step = std::max<std::size_t>(1, kChunkElements / 2 / value.x.width);
  std::vector<RowSize> sizes;
  for_each_block((rows + step - 1) / step, threads,
                 [&](std::size_t block) {
                   const std::size_t first = block * step;
                   const std::size_t count = std::min(step, rows - first);
                   const CaseRows part = rows_of(judged, first, count);
                   std::vector<RowSize> found;
                   const std::vector<RowSum> sums = row_sums(part.value, 0, count);
                   for (std::size_t i = 0; i < count; ++i) {
                     if (!sums[i].finite) continue;
                     found.push_back({sums[i].low / 2 + sums[i].high / 2, part.row_in_file(i)});
                   }
                   return found;
                 },
                 [&](std::size_t, const std::vector<RowSize>& part) {
                   sizes.insert(sizes.end(), part.begin(), part.end());
                 });
  return sizes;
}

std::vector<std::size_t> sampled(std::vector<RowSize> sizes) {
  std::vector<std::size_t> rows;
  for (const std::size_t i : spread_rows(kSpread, sizes.size())) rows.push_back(sizes[i].row);
  std::ranges::sort(sizes, [](const RowSize& a, const RowSize& b) {
    return std::pair(a.sum, a.row) < std::pair(b.sum, b.row);
  });
  for (std::size_t i = 0; i < std::min(kExtremes, sizes.size()); ++i) {
    rows.push_back(sizes[i].row);
    rows.push_back(sizes[sizes.size() - 1 - i].row);
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

}  // namespace

RowsToTry rows_to_try(const JudgedCase& judged, bool whole, unsigned threads) {
  RowsToTry found;
  const std::size_t width = judged.value.x.width;
  if (width == 0 || rows_judged(judged) == 0) return found;
  std::vector<RowSize> sizes = sizes_of(judged, threads);
  if (sizes.empty()) return found;
  found.least_q = std::ranges::min(sizes, {}, &RowSize::sum).sum / static_cast<double>(width);
  const std::size_t most = std::max<std::size_t>(1, kChunkElements / width);
  if (!whole && sizes.size() > std::max(most, 2 * kExtremes + kSpread)) {
    found.chunks.push_back(sampled(std::move(sizes)));
    return found;
  }
  const std::size_t step = whole ? most : sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i % step == 0) found.chunks.emplace_back();
    found.chunks.back().push_back(sizes[i].row);
  }
  return found;
}

}  // namespace normcert
