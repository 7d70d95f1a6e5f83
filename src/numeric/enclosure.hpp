// A number that is known up to a relative bound, and the interval of its magnitude in integers,
// without any rounding that could lose it.
#pragma once

#include "numeric/double_double.hpp"
#include "numeric/dyadic.hpp"

namespace normcert {

// |value - y| <= bound |y| for the exact y meant. A value of zero says that y is zero, with that
// sign. Requires 0 <= bound <= 2^-20 and |low| at most half a unit in the last place of high.
struct Enclosure {
  ScaledDoubleDouble value;
  double bound = 0;

  [[nodiscard]] bool is_zero() const { return value.high == 0; }
  [[nodiscard]] bool negative() const { return std::signbit(value.high); }
};

// low 2^exponent <= |y| <= high 2^exponent, with high < 2^120. Where `between` is set both ends are
// excluded: that is how a number of more bits than fit is held (bound 0: low + 1 == high).
struct MagnitudeInterval {
  Uint128 low = 0;
  Uint128 high = 0;
  int exponent = 0;
  bool between = false;

  // The leading bits of every number of the interval that lies next to that end.
  [[nodiscard]] LeadingBits leading_low() const;
  [[nodiscard]] LeadingBits leading_high() const;
};

// Both ends outward: |value| / (1 + bound) and |value| / (1 - bound), widened to integers.
[[nodiscard]] MagnitudeInterval magnitude_interval(const Enclosure& y);

}  // namespace normcert
