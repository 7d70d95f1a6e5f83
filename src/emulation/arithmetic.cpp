#include "emulation/arithmetic.hpp"

#include "numeric/big_dyadic.hpp"
#include "numeric/dyadic.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

bool is_zero(Code a) { return a.magnitude() == 0; }

const BigDyadic& one() {
  static const BigDyadic kOne = BigDyadic::integer(1);
  return kOne;
}

Code rounded(const BigDyadic& value, const FloatFormat& format) {
  return round(value.sign() < 0, leading_bits(value), format);
}

// The sum of two finite numbers that are given exactly, with the signs that they would have as
// zeros.
Code sum_of_finite(const BigDyadic& a, bool a_negative, const BigDyadic& b, bool b_negative,
                   const FloatFormat& format) {
  const BigDyadic sum = a + b;
  if (sum.sign() != 0) return rounded(sum, format);
  return zero_of(format, a_negative && b_negative);
}

}  // namespace

Code negated(Code a) { return {a.bits ^ a.format->sign_mask(), a.format}; }

Code rounded_sum(Code a, Code b, const FloatFormat& format) {
  if (is_nan(a) || is_nan(b)) return nan_of(format);
  if (is_infinite(a) || is_infinite(b)) {
    if (is_infinite(a) && is_infinite(b) && a.negative() != b.negative()) return nan_of(format);
    return infinity_of(format, is_infinite(a) ? a.negative() : b.negative());
  }
  return sum_of_finite(decode(a), a.negative(), decode(b), b.negative(), format);
}

Code rounded_difference(Code a, Code b, const FloatFormat& format) {
  return rounded_sum(a, negated(b), format);
}

Code rounded_product(Code a, Code b, const FloatFormat& format) {
  if (is_nan(a) || is_nan(b)) return nan_of(format);
  const bool negative = a.negative() != b.negative();
  if (is_infinite(a) || is_infinite(b)) {
    if (is_zero(a) || is_zero(b)) return nan_of(format);
    return infinity_of(format, negative);
  }
  return round(multiply(decode(a), decode(b)), format);
}

Code rounded_fma(Code a, Code b, Code c, const FloatFormat& format) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return nan_of(format);
  if (is_infinite(a) || is_infinite(b) || is_infinite(c)) {
    // A finite product adds nothing to an infinite c, so any finite product stands for it.
    const bool finite_product = is_finite(a) && is_finite(b);
    return finite_product ? infinity_of(format, c.negative())
                          : rounded_sum(rounded_product(a, b, format), c, format);
  }
  const Dyadic product = multiply(decode(a), decode(b));
  return sum_of_finite(product, product.negative, decode(c), c.negative(), format);
}

Code rounded_product_with_sum(Code a, Code b, Code c, const FloatFormat& format) {
  if (!is_finite(b) || !is_finite(c)) {
    return rounded_product(a, rounded_sum(b, c, format), format);
  }
  const BigDyadic sum = BigDyadic(decode(b)) + BigDyadic(decode(c));
  if (sum.sign() == 0 || !is_finite(a)) {
    // Only sign and kind of the sum matter.
    const bool negative = sum.sign() == 0 ? b.negative() && c.negative() : sum.sign() < 0;
    const Code stand_in =
        sum.sign() == 0 ? zero_of(format, negative) : max_finite_of(format, negative);
    return rounded_product(a, stand_in, format);
  }
  const BigDyadic product = BigDyadic(decode(a)) * sum;
  if (product.sign() == 0) return zero_of(format, a.negative() != (sum.sign() < 0));
  return rounded(product, format);
}

Code rounded_quotient(Code a, Code b, const FloatFormat& format) {
  const bool negative = a.negative() != b.negative();
  const bool undefined = (is_zero(a) && is_zero(b)) || (is_infinite(a) && is_infinite(b));
  if (is_nan(a) || is_nan(b) || undefined) return nan_of(format);
  if (is_infinite(a) || is_zero(b)) return infinity_of(format, negative);
  if (is_zero(a) || is_infinite(b)) return zero_of(format, negative);
  return round(negative, leading_bits_of_ratio(decode(a), decode(b)), format);
}

Code rounded_root(Code a, const FloatFormat& format) {
  if (is_nan(a)) return nan_of(format);
  if (is_zero(a)) return zero_of(format, a.negative());
  if (a.negative()) return nan_of(format);
  if (is_infinite(a)) return infinity_of(format, false);
  return round(false, leading_bits_of_root(decode(a), one()), format);
}

Code rounded_reciprocal_root(Code a, const FloatFormat& format) {
  if (is_nan(a)) return nan_of(format);
  if (is_zero(a)) return infinity_of(format, a.negative());
  if (a.negative()) return nan_of(format);
  if (is_infinite(a)) return zero_of(format, false);
  return round(false, leading_bits_of_root(one(), decode(a)), format);
}

Code maximum(Code a, Code b, const FloatFormat& format) {
  if (is_nan(a) || is_nan(b)) return nan_of(format);
  // Ranks order the values of one format; both zeros have rank 0, so the sign decides there.
  const Code wide_a = convert(a, format);
  const Code wide_b = convert(b, format);
  if (rank(wide_a) != rank(wide_b)) return rank(wide_a) > rank(wide_b) ? wide_a : wide_b;
  return wide_a.negative() ? wide_b : wide_a;
}

Code without_subnormal(Code a, const FloatFormat& format) {
  if (is_zero(a) || !is_finite(a)) return a;
  const LeadingBits magnitude = leading_bits(decode(a));
  return magnitude.exponent + 63 < format.emin ? zero_of(*a.format, a.negative()) : a;
}

}  // namespace normcert
