// A sum of squares in double-double arithmetic, many terms at a time; the same bits on every
// machine.
#pragma once

#include <cstddef>

#include "numeric/double_double.hpp"

namespace normcert {

// At most so many values at a time.
inline constexpr std::size_t kPreciseBlock = 1024;
// A term of such a block passes through 32 additions of one lane and 5 of 32 lanes in halves.
inline constexpr std::size_t kPreciseBlockDepth = 37;

// Sum of the squares of `count` <= kPreciseBlock values, each 0 or within 2^-200 .. 2^200 in
// magnitude: the squares, with both of their parts, are exact, each addition is one of
// double-doubles, error at most 3u^2 / (1 - 4u). `short_values`: they have at most 26 bits, so that
// a square is one number of binary64. Infinities and NaN give a sum that is not finite.
[[nodiscard]] DoubleDouble precise_square_sum(const double* values, std::size_t count,
                                              bool short_values);

// The least magnitude that is not 0 (0: all are) and the greatest one. Requires finite values.
struct MagnitudeRange {
  double least = 0;
  double greatest = 0;
};
[[nodiscard]] MagnitudeRange magnitude_range(const double* values, std::size_t count);

}  // namespace normcert
