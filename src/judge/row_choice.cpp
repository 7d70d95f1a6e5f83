#include "judge/row_choice.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "blocks/for_each_block.hpp"
#include "reference/exact_row.hpp"
#include "reference/row_sums.hpp"

namespace normcert {
namespace {

using RowNumbers = std::vector<std::size_t>;

constexpr std::array<std::string_view, 4> kNames = {"low-q", "spread", "first", "all"};

RowNumbers first_rows(std::size_t count) {
  RowNumbers rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::vector<RowSum> sums_of(const Case& value, unsigned threads) {
  const std::size_t step = block_rows(value.x.width);
  std::vector<RowSum> sums;
  sums.reserve(value.x.rows);
  for_each_block((value.x.rows + step - 1) / step, threads,
                 [&](std::size_t block) {
                   const std::size_t first = block * step;
                   return row_sums(value, first, std::min(step, value.x.rows - first));
                 },
                 [&](std::size_t, const std::vector<RowSum>& part) {
                   sums.insert(sums.end(), part.begin(), part.end());
                 });
  return sums;
}

// The `count` least of rows whose bounds overlap, by exact sums.
RowNumbers least_of(const Case& value, const RowNumbers& candidates, std::size_t count) {
  if (candidates.size() <= count) return candidates;
  std::vector<std::pair<std::shared_ptr<const ExactRow>, std::size_t>> rows;
  for (const std::size_t row : candidates) {
    const auto same = [&](const TensorView& tensor) {
      const TensorView before = tensor.rows_from(rows.back().second, 1);
      return std::ranges::equal(tensor.rows_from(row, 1).bytes, before.bytes);
    };
    const bool repeated = !rows.empty() && same(value.x) &&
                          (!value.residual || same(*value.residual)) &&
                          (!value.gate || same(value.gate->values));
    rows.emplace_back(repeated ? rows.back().first : std::make_shared<const ExactRow>(value, row),
                      row);
  }
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return a.first != b.first && a.first->compare_mean_square(*b.first) < 0;
  });
  RowNumbers least;
  for (std::size_t i = 0; i < count; ++i) least.push_back(rows[i].second);
  return least;
}

RowNumbers low_rows(const Case& value, std::size_t count, unsigned threads) {
  const std::vector<RowSum> sums = sums_of(value, threads);
  std::vector<double> lows;
  std::vector<double> highs;
  RowNumbers finite;
  RowNumbers others;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (!sums[row].finite) {
      others.push_back(row);
      continue;
    }
    finite.push_back(row);
    lows.push_back(sums[row].low);
    highs.push_back(sums[row].high);
  }
  if (finite.size() <= count) {
    others.resize(count - finite.size());
    finite.insert(finite.end(), others.begin(), others.end());
    return finite;
  }
  // The count-th least sum lies between the count-th least lower and upper bound.
  const auto nth = [&](std::vector<double>& values) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::ranges::nth_element(values, at);
    return *at;
  };
  const double low = nth(lows);
  const double high = nth(highs);
  RowNumbers chosen;
  RowNumbers candidates;
  for (const std::size_t row : finite) {
    if (sums[row].high < low) {
      chosen.push_back(row);
    } else if (sums[row].low <= high) {
      candidates.push_back(row);
    }
  }
  const RowNumbers more = least_of(value, candidates, count - chosen.size());
  chosen.insert(chosen.end(), more.begin(), more.end());
  return chosen;
}

}  // namespace

std::vector<std::size_t> spread_rows(std::size_t count, std::size_t of) {
  RowNumbers rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(count == 1 ? 0 : i * (of - 1) / (count - 1));
  }
  return rows;
}

std::string_view name_of(RowOrder order) { return kNames.at(static_cast<std::size_t>(order)); }

void choose_rows(JudgedCase& judged, const RowChoice& choice, unsigned threads) {
  const Case& value = judged.value;
  if (choice.order == RowOrder::kAll || choice.rows >= value.x.rows) return;
  judged.choice = name_of(choice.order);
  switch (choice.order) {
    case RowOrder::kFirst:
      judged.chosen_rows = first_rows(choice.rows);
      break;
    case RowOrder::kSpread:
      judged.chosen_rows = spread_rows(choice.rows, value.x.rows);
      break;
    case RowOrder::kLowQ:
      judged.chosen_rows = low_rows(value, choice.rows, threads);
      break;
    case RowOrder::kAll:
      break;
  }
  std::ranges::sort(*judged.chosen_rows);
}

}  // namespace normcert
