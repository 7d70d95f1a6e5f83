// |a - y| for an observed a and an enclosed y, as an interval that certainly holds it.
#pragma once

#include "numeric/code.hpp"
#include "numeric/enclosure.hpp"

namespace normcert {

// low 2^exponent <= value <= high 2^exponent. Both are below 2^122; a low that is not zero is at
// least 2^-4. Exact (low == high) where y is known exactly and the difference fits 53 bits.
struct ScaledInterval {
  double low = 0;
  double high = 0;
  int exponent = 0;
};

// `magnitude` is magnitude_interval(y) of a y other than zero, `negative` its sign. Requires a
// finite code. Where a is near y the difference is one of integers, so that its width is that of
// the enclosure; elsewhere it is computed in binary64 and widened by 2^-49.
[[nodiscard]] ScaledInterval error_interval(Code got, bool negative,
                                            const MagnitudeInterval& magnitude);

// |y| itself, widened by 2^-51.
[[nodiscard]] ScaledInterval magnitude_bounds(const MagnitudeInterval& magnitude);

}  // namespace normcert
