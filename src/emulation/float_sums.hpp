// Sums of squares (or of other terms) of binary32 numbers in binary32, in the order of a recipe
// (emulation/order.hpp), in vectors. *Bit exact*: the same additions in the same order as
// OrderedSum, under every target. Requires round-to-nearest and subnormals neither flushed nor read
// as zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/recipe.hpp"

namespace normcert {

// What is added of each number.
enum class FloatTerms : std::uint8_t {
  kSquares,
  kFusedSquares,  // never rounded: each joins the sum by one fused multiply-add
  kThemselves,
};

// How a sum in vectors runs through the elements.
enum class FloatSumLayout : std::uint8_t {
  kAcrossElements,  // one row in many lanes: sum_in_lanes
  kAcrossRows,      // one lane for each of many rows: SumOfRows
};

[[nodiscard]] FloatSumLayout float_sum_layout(const StatisticStep& statistic);

// Sum of one row, for orders kLanes, kTorchCascade, kBlockTree, kTorchCudaMean and kTriton.
// `partial_sums` is working memory that calls may share.
[[nodiscard]] float sum_in_lanes(const SummationOrder& order, FloatTerms terms, const float* row,
                                 std::size_t count, std::vector<float>& partial_sums);

// Rows that are summed side by side; a row too few is one that is not looked at.
inline constexpr std::size_t kRowsTogether = 16;
// Columns that are taken at a time.
inline constexpr std::size_t kColumnsTogether = 256;

using FloatRowSums = std::array<float, kRowsTogether>;

// Columns of kRowsTogether rows, row r from r * kColumnsTogether on.
using FloatColumns = std::array<float, kRowsTogether * kColumnsTogether>;

// Each adds `count` columns (at most kColumnsTogether), to sums that are there or from zero; fused
// squares in order only.
void add_in_order(FloatTerms terms, const FloatColumns& columns, std::size_t count,
                  FloatRowSums& sums);
// Kahan's compensated sum with its compensations.
void add_compensated(FloatTerms terms, const FloatColumns& columns, std::size_t count,
                     FloatRowSums& sums, FloatRowSums& compensations);
// Halves, recursively, down to at most `base`.
[[nodiscard]] FloatRowSums sum_pairwise(FloatTerms terms, const FloatColumns& columns,
                                        std::size_t count, std::size_t base);

}  // namespace normcert
