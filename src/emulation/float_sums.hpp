// Sums of squares (or of other terms) of binary32 numbers in binary32, in the order of a recipe
// (emulation/order.hpp), in vectors. *Bit exact*: the same additions in the same order as
// OrderedSum, under every target. Requires round-to-nearest and subnormals neither flushed nor read
// as zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulation/aligned_floats.hpp"
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

// Of `count` numbers.
[[nodiscard]] FloatSumLayout float_sum_layout(const StatisticStep& statistic, std::size_t count);

// Rows that are summed side by side; a row too few is one that is not looked at.
inline constexpr std::size_t kRowsTogether = 16;
// Columns that are taken at a time.
inline constexpr std::size_t kColumnsTogether = 256;

using FloatRowSums = std::array<float, kRowsTogether>;

// Rows of numbers that may be read up to kReadBehind numbers behind the last one's end. Short ones,
// whose step is at most kColumnsTogether, are kRowsTogether in memory, looked at or not.
struct FloatRowsView {
  const float* first = nullptr;
  std::size_t step = 0;  // from one row to the next
};
inline constexpr std::size_t kReadBehind = 64;

// Sums of the first `count` numbers of `rows` rows (at most kRowsTogether), where the layout is
// kAcrossElements. `partial_sums` is working memory that calls may share.
void sum_in_lanes(const SummationOrder& order, FloatTerms terms, const FloatRowsView& view,
                  std::size_t count, std::size_t rows, AlignedFloats& partial_sums,
                  FloatRowSums& sums);

// Each adds the first `count` columns (at most kColumnsTogether) of kRowsTogether rows, to sums
// that are there or from zero; fused squares in order only.
void add_in_order(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                  FloatRowSums& sums);
// Kahan's compensated sum with its compensations.
void add_compensated(FloatTerms terms, const FloatRowsView& rows, std::size_t count,
                     FloatRowSums& sums, FloatRowSums& compensations);
// Halves, recursively, down to at most `base`.
[[nodiscard]] FloatRowSums sum_pairwise(FloatTerms terms, const FloatRowsView& rows,
                                        std::size_t count, std::size_t base);

}  // namespace normcert
