// Exact dyadic rationals m x 2^e: every finite floating-point number is one, and sums and
// products of them are again dyadic, so they can be computed without any error.
//
// Dyadic has a magnitude of 128 bits: enough for one number or the product of two binary64
// numbers. BigDyadic (numeric/big_dyadic.hpp) has no limit.
#pragma once

#include <cstdint>

namespace normcert {

// GCC and clang name the type outside ISO C++; __extension__ keeps -Wpedantic quiet.
__extension__ using Uint128 = unsigned __int128;

// (-1)^negative x magnitude x 2^exponent. A zero keeps its sign.
struct Dyadic {
  bool negative = false;
  Uint128 magnitude = 0;
  int exponent = 0;
};

// The leading bits of an exact non-negative number v, and whether anything follows them:
//   v = (top + f) x 2^exponent, 0 <= f < 1, sticky == (f != 0), and top has bit 63 set unless v = 0
// (then top = 0, sticky = false). Enough to round v correctly to any format of at most 62 digits.
struct LeadingBits {
  std::uint64_t top = 0;
  std::int64_t exponent = 0;
  bool sticky = false;
};

[[nodiscard]] int bit_length(Uint128 value);  // 0 for 0

// Exact.
[[nodiscard]] LeadingBits leading_bits(const Dyadic& value);  // of |value|

// Exact. Requires both magnitudes below 2^64.
[[nodiscard]] Dyadic multiply(const Dyadic& a, const Dyadic& b);

// Exact. Requires a finite value.
[[nodiscard]] Dyadic dyadic_of(double value);

// Sign of |a| - |b|: -1, 0 or 1. Exact for all values.
[[nodiscard]] int compare_magnitude(const Dyadic& a, const Dyadic& b);

}  // namespace normcert
