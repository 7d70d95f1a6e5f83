// Double-double arithmetic: a number as the unevaluated sum of two binary64 numbers, about 106
// bits.
//
// Write u for 2^-53 and RN for binary64 with rounding to nearest even. A double-double is a pair
// with high = RN(high + low), so |low| <= u |high|. Only + - * / and sqrt of binary64 are used, no
// fused operation, so the results have the same bytes on every machine.
//
// Sources: [1] Knuth, The Art of Computer Programming 2, 4.2.2 (TwoSum); [2] Dekker, Numer. Math.
// 18 (1971) (FastTwoSum, the product by splitting); [3] Joldes, Muller, Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017);
// its proofs were checked in Coq and some of its bounds lowered by [4] Muller, Rideau, ACM TOMS 48
// (2022), so those of [3] that stand here are safe; [5] Lefevre, Louvet, Muller, Picot, Rideau,
// "Accurate calculation of Euclidean norms using double-word arithmetic", ACM TOMS 49 (2023).
//
// All bounds are relative and hold where nothing overflows and the products of high parts are
// zero or at least 2^-900 (then their rounding errors, multiples of 2^-1006, are numbers of
// binary64). Products and quotients with a low part may underflow; each adds at most 2^-1074.
#pragma once

#include <cmath>

namespace normcert {

struct DoubleDouble {
  double high = 0;
  double low = 0;
};

// Exact: a < b. Both with high = RN(high + low).
inline bool is_less(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

// high + low == a + b exactly [1]. Requires |a|, |b| < 2^1022; may be subnormal.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double from_a = sum - b;
  const double from_b = sum - from_a;
  return {sum, (a - from_a) + (b - from_b)};
}

// The same for |a| >= |b| or a == 0, in three operations [2].
inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// high + low == a * b exactly [2]: Veltkamp's splitting cuts each factor into two numbers of at
// most 26 bits, whose products are exact. Requires |a|, |b| < 2^500 and a product as above.
inline DoubleDouble two_product(double a, double b) {
  constexpr double kSplitter = 0x1p27 + 1;
  const double scaled_a = kSplitter * a;
  const double upper_a = scaled_a - (scaled_a - a);
  const double lower_a = a - upper_a;
  const double scaled_b = kSplitter * b;
  const double upper_b = scaled_b - (scaled_b - b);
  const double lower_b = b - upper_b;
  const double product = a * b;
  const double error =
      lower_a * lower_b - (((product - upper_a * upper_b) - lower_a * upper_b) - upper_a * lower_b);
  return {product, error};
}

// Error at most 3u^2 / (1 - 4u), any signs ([3], algorithm 6, theorem 3.1).
inline DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high);
  const DoubleDouble low = two_sum(a.low, b.low);
  const DoubleDouble sum = fast_two_sum(high.high, high.low + low.high);
  return fast_two_sum(sum.high, low.low + sum.low);
}

// Error at most 7u^2 ([3], algorithm 10, theorem 5.1; 5u^2 in [4]).
inline DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// Error at most 3/2 u^2 + 4u^3 ([3], algorithm 7, theorem 4.1).
inline DoubleDouble multiply(DoubleDouble a, double b) {
  const DoubleDouble product = two_product(a.high, b);
  const DoubleDouble sum = fast_two_sum(product.high, a.low * b);
  return fast_two_sum(sum.high, sum.low + product.low);
}

// Error at most 3u^2 ([3], algorithm 15, theorem 6.1).
inline DoubleDouble divide(DoubleDouble a, double b) {
  const double quotient = a.high / b;
  const DoubleDouble product = two_product(quotient, b);
  const double rest = ((a.high - product.high) - product.low) + a.low;
  return fast_two_sum(quotient, rest / b);
}

// Error at most 15u^2 + 56u^3 ([3], algorithm 17, theorem 6.2).
inline DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble product = multiply(b, quotient);
  const double rest = (a.high - product.high) + (a.low - product.low);
  return fast_two_sum(quotient, rest / b.high);
}

// Error at most 5u^2 (25/8 u^2 in [5]); requires a > 0. One step of Newton from s = RN(sqrt(high)):
// with rho = a - s^2 the result is s + rho / (2s). high - s^2 is a number of binary64, so the two
// subtractions below make it without error; |rho| <= (2u + 2u^2 + u) s^2 / (1 - u)^2 < 3.01u s^2,
// and its two roundings (sum, quotient) cost at most 2.01u |rho| / (2s) <= 3.1u^2 s. Newton leaves
// (sqrt(a) - s)^2 / (2s) <= (1.51u s)^2 / (2s) <= 1.2u^2 s.
inline DoubleDouble square_root(DoubleDouble a) {
  const double root = std::sqrt(a.high);
  const DoubleDouble square = two_product(root, root);
  const double rest = ((a.high - square.high) - square.low) + a.low;
  return fast_two_sum(root, rest / (2 * root));
}

// (high + low) 2^exponent, for numbers outside binary64's range; zero where high is zero, with the
// sign of high.
struct ScaledDoubleDouble {
  double high = 0;
  double low = 0;
  int exponent = 0;
};

// value 2^exponent, correctly rounded (exact where the result is normal); any exponent.
[[nodiscard]] double times_power_of_two(double value, int exponent);

// The same number with 1 <= |high| < 2; zero is kept. A low part below 2^-1022 after the scaling
// loses at most 2^-1074, all else is exact.
[[nodiscard]] ScaledDoubleDouble normalized(ScaledDoubleDouble number);

// Requires normalised operands that are not negative. Error at most 3u^2 / (1 - 4u) + 2^-298: the
// smaller operand is dropped where it is 2^-299 of the other one.
[[nodiscard]] ScaledDoubleDouble add_nonnegative(ScaledDoubleDouble a, ScaledDoubleDouble b);

// Whether binary64 rounds to nearest and keeps subnormals, as operands and as results, in this
// thread: asked from the arithmetic itself, so that no control register is overlooked.
[[nodiscard]] bool arithmetic_is_default();

}  // namespace normcert
