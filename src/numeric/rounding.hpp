// The one rounding function: exact value in, code out. IEEE 754-2019, 4.3 and 7.4.
#pragma once

#include "numeric/code.hpp"
#include "numeric/dyadic.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

enum class RoundingMode : std::uint8_t {
  kNearestEven,
  kTowardZero,    // truncation: what a store that drops the low bits does
  kAwayFromZero,  // with kTowardZero the two values that enclose an exact result
};

// What becomes of a value whose rounding (with unbounded exponent) exceeds the greatest finite one.
enum class OverflowRule : std::uint8_t {
  kFormat,    // nearest, away: infinity, or NaN in a format without; toward zero: greatest finite
  kSaturate,  // the greatest finite number
};

struct RoundingRule {
  RoundingMode mode = RoundingMode::kNearestEven;
  OverflowRule overflow = OverflowRule::kFormat;
};

// Correctly rounded according to `rule`, subnormals included (no flushing). A zero keeps the sign.
// Checked by tests/numeric (all codes and their midpoints; MPFR; F16C over all binary32).
[[nodiscard]] Code round(bool negative, const LeadingBits& magnitude, const FloatFormat& format,
                         RoundingRule rule = {});
[[nodiscard]] Code round(const Dyadic& value, const FloatFormat& format, RoundingRule rule = {});

// Correctly rounded conversion between formats. NaN gives the format's NaN (payload dropped, sign
// kept); infinity gives infinity, or by rule NaN / the greatest finite number where there is none.
[[nodiscard]] Code convert(Code code, const FloatFormat& format, RoundingRule rule = {});

// Whether the exact magnitude lies exactly on a number of `format` (overflow counts as no).
[[nodiscard]] bool is_representable(const LeadingBits& magnitude, const FloatFormat& format);

// Exponent k such that ulp_T(y) = 2^k for the exact y: max(e, emin) - p + 1 with 2^e <= |y| <
// 2^(e+1); emin - p + 1 for y = 0. (Muller et al., Handbook of Floating-Point Arithmetic, 2.3.2.)
[[nodiscard]] std::int64_t ulp_exponent(const LeadingBits& magnitude, const FloatFormat& format);

// Whether `got` is the exact value itself where that is a number of the format, else one of the two
// numbers that enclose it; beyond the greatest finite number only what `overflow` gives.
[[nodiscard]] bool is_faithful(Code got, bool negative, const LeadingBits& magnitude,
                               OverflowRule overflow = OverflowRule::kFormat);

}  // namespace normcert
