// Proven bounds of the binary64 and binary32 evaluations that stand before the exact one: how far
// what is computed lies from the exact RMSNorm, relative to it. All rounding is to nearest, nothing
// overflows or is rounded to a subnormal; who uses a bound checks that.
//
// Write u for 2^-53 (2^-24 in binary32) and RN for rounding to nearest.
//
// The summation. Let x_i have at most 24 significant bits (binary32 and every narrower format) and
// an exponent within binary32's. Then x_i^2 has at most 48 bits and lies between 2^-298 and 2^256
// or is 0: exact in binary64. The sum is formed by a tree of additions in which no term passes
// through more than h of them. RN(a + b) = (a + b)(1 + d), |d| <= u/(1 + u) (a sum of binary64
// numbers that is subnormal is exact), so
//     S^ = sum x_i^2 (1 + d_i),   |1 + d_i| between (1 - u)^h and (1 + u)^h,
// and because the terms are not negative |S^/S - 1| <= (1 + u)^h - 1 <= h u / (1 - h u) = gamma_h:
// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2 and lemma 3.1.
// (Jeannerod and Rump, "Improved error bounds for inner products in floating-point arithmetic",
// SIAM J. Matrix Anal. Appl. 34, 2013, show that the term of second order is not needed where h
// counts all terms, in any order of evaluation; it is below 2^-26 of the bound here, so gamma_h is
// kept, which holds for every tree.) Additions of an exact zero, with which running sums begin, do
// not count. A fused multiply-add changes nothing, the squares being exact.
//
// Inputs wider than 24 bits and rows with a residual have rounded squares: PreciseRow.
#pragma once

#include <cstddef>

namespace normcert {

inline constexpr double kUnit64 = 0x1p-53;
inline constexpr double kUnit32 = 0x1p-24;
// The greatest depth for which the functions below are proven; the sum is then within 2^-26.
inline constexpr std::size_t kGreatestDepth = 100'000'000;

// Covers the roundings of these functions themselves (at most eight each, all of positive numbers).
inline constexpr double kOutward = 1 + 0x1p-48;

// Upper bound of |S^/S - 1| for a sum of nonnegative exact terms, each in at most `depth`
// additions.
[[nodiscard]] constexpr double sum_bound(std::size_t depth) {
  const double linear = static_cast<double>(depth) * kUnit64;
  return linear / (1 - linear) * kOutward;
}

// Upper bound of |r^/r - 1| for q = RN(S^/n), e = RN(q + epsilon), r^ = RN(1/RN(sqrt(e))),
// binary64, where |S^/S - 1| <= b = `sum` <= 2^-26: b/2 (1 + b) + 3.02 u. q + epsilon, a sum of
// nonnegative numbers, has at most the greater of their relative errors, and (1 - b)^(-1/2) - 1 <=
// b/2 (1 + b). Proven in tests/proofs/row_scalar.gappa and row_scalar_long_row.gappa.
[[nodiscard]] constexpr double row_scalar_bound(double sum) {
  return (sum / 2 * (1 + sum) + 3.02 * kUnit64) * kOutward;
}

// Upper bound of |y64/y - 1| for y64 = RN(RN(z RN(g)) r^), binary64, z exact, where
// |r^/r - 1| <= d = `row` <= 2^-12: d + 3.001 u. Proven in tests/proofs/binary64_screen.gappa and
// binary64_screen_long_row.gappa.
[[nodiscard]] constexpr double binary64_screen_bound(double row) {
  return (row + 3.001 * kUnit64) * kOutward;
}

// Upper bound of |y32/y - 1| for y32 = RN32(RN32(x g32) r32) with g32 = RN32(g), r32 = RN32(r64), x
// a binary32 number, where |r64/r - 1| <= kGreatestRowError. Proven in
// tests/proofs/binary32_screen.gappa.
inline constexpr double kBinary32ScreenBound = 0x4.004189p-24;  // 4.001 u
inline constexpr double kGreatestRowError = 0x1p-40;

// Upper bound of |limit32/(atol + rtol |y|) - 1| for limit32 = RN32(RN32(atol) +
// RN32(RN32(rtol) |y32|)). Proven in tests/proofs/limit_screen.gappa.
inline constexpr double kLimitScreenBound = 0x7.008312p-24;  // 7.002 u

// Upper bound of |RN32(a - y32) - (a - y)| / |y| for a binary32 number a with |y|/4 <= |a| <= 2 |y|
// of the same sign: the bound of y32 twice over (|y| within a binade) and the rounding of the
// difference, generous on purpose. Elsewhere nothing cancels: kBinary32ScreenBound and one rounding
// of the difference, which is not below |y|/2. Proven in tests/proofs/error_screen.gappa.
inline constexpr double kErrorScreenBound = 0xa.028fp-24;  // 10.01 u

}  // namespace normcert
