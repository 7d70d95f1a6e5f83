// Exact numbers of `numeric` as MPFR numbers, for the oracle tests.
#pragma once

#include <mpfr.h>

#include <cstdint>

#include "numeric/big_dyadic.hpp"
#include "reference/mpfr_row.hpp"

namespace normcert {

// Exact for numbers whose leading and last bit lie less than `precision` apart; throws otherwise.
// 64 bits at a time, so that nothing is assumed about how a BigDyadic is stored.
inline Mpfr mpfr_of(BigDyadic value, mpfr_prec_t precision = 4096) {
  Mpfr result(precision);
  const bool negative = value.sign() < 0;
  value = value.magnitude();
  while (value.sign() != 0) {
    const LeadingBits leading = leading_bits(value);
    Mpfr part(64);
    mpfr_set_uj_2exp(part, leading.top, leading.exponent, MPFR_RNDN);
    if (mpfr_add(result, result, part, MPFR_RNDN) != 0) {
      throw std::logic_error("an exact number was rounded");
    }
    value -= BigDyadic::integer(leading.top).times_power_of_two(leading.exponent);
  }
  if (negative) mpfr_neg(result, result, MPFR_RNDN);
  return result;
}

// |a - b| / |b| as a binary64 number; 0 where both are zero.
inline double mpfr_relative_difference(const Mpfr& a, const Mpfr& b) {
  if (mpfr_equal_p(a, b) != 0) return 0;
  Mpfr difference(16384);
  mpfr_sub(difference, a, b, MPFR_RNDN);
  mpfr_div(difference, difference, b, MPFR_RNDN);
  // Far below binary64's range the answer is its least number, not zero.
  return std::fabs(mpfr_get_d(difference, MPFR_RNDA));
}

}  // namespace normcert
