// |a - y| for an observed a and an enclosed y, as an interval that certainly holds it.
#pragma once

#include "numeric/code.hpp"
#include "numeric/double_double.hpp"
#include "numeric/enclosure.hpp"

namespace normcert {

// low 2^exponent <= value <= high 2^exponent. Both are below 2^122; a low that is not zero is at
// least 2^-4. Exact (low == high) where y is known exactly and the difference fits 53 bits. What
// rounding to binary64 has taken from the ends of an interval of integers stands beside them:
// low + low_rest <= value <= high - high_rest is as true, each rest at least 0.
struct ScaledInterval {
  double low = 0;
  double high = 0;
  int exponent = 0;
  double low_rest = 0;
  double high_rest = 0;

  // The closer ends, normalised.
  [[nodiscard]] DoubleDouble closer_low() const { return fast_two_sum(low, low_rest); }
  [[nodiscard]] DoubleDouble closer_high() const { return fast_two_sum(high, -high_rest); }
};

// `magnitude` is magnitude_interval(y) of a y other than zero, `negative` its sign. Requires a
// finite code. Where a is near y the difference is one of integers, so that its width is that of
// the enclosure; elsewhere it is computed in binary64 and widened by 2^-49.
[[nodiscard]] ScaledInterval error_interval(Code got, bool negative,
                                            const MagnitudeInterval& magnitude);

// |y| itself, widened by 2^-51 (the closer ends: by 2^-103).
[[nodiscard]] ScaledInterval magnitude_bounds(const MagnitudeInterval& magnitude);

}  // namespace normcert
