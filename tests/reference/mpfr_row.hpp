// The exact row again, independently, by MPFR: y = |g z| sqrt(n / (S + n epsilon)), from codes.
// Sums and products are formed without rounding (checked by MPFR's ternary values); quotient, root
// and last product are enclosed by directed roundings; the precision grows until the enclosure
// shows the leading 64 bits of y, or y is proven to be a number of 64 bits by an exact comparison.
#pragma once

#include <mpfr.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "problem/case.hpp"
#include "reference/plain_value.hpp"

namespace normcert {

class Mpfr {
 public:
  explicit Mpfr(mpfr_prec_t precision = 64) {
    mpfr_init2(value_, precision);
    mpfr_set_zero(value_, 1);
  }
  Mpfr(const Mpfr& other) {
    mpfr_init2(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Mpfr& operator=(const Mpfr& other) {
    mpfr_set_prec(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Mpfr() { mpfr_clear(value_); }

  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

using MpfrOperation = int(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// a op b without rounding, in as few bits as it needs; throws where `kExactPrecision` is too small.
inline Mpfr mpfr_exact(MpfrOperation operation, const Mpfr& a, const Mpfr& b,
                       mpfr_prec_t precision) {
  Mpfr result(precision);
  if (operation(result, a, b, MPFR_RNDN) != 0)
    throw std::logic_error("an exact result was rounded");
  if (mpfr_regular_p(static_cast<mpfr_srcptr>(result)) != 0) {
    const mpfr_prec_t needed = mpfr_min_prec(result);
    mpfr_prec_round(result, needed < 2 ? 2 : needed, MPFR_RNDN);
  }
  return result;
}

// Sums and products of two numbers that are sums of two binary64 numbers: z, g, g z.
constexpr mpfr_prec_t kProductPrecision = 4400;
// S + n epsilon and squares of g z: binary64 squares reach from 2^-2148 to 2^2048, times g^2.
constexpr mpfr_prec_t kSquarePrecision = 8800;

// y, a magnitude: lower <= y <= upper. Once decided, either both are y itself or y lies strictly
// between two neighbouring numbers of 64 bits, and so do both ends.
struct MpfrMagnitude {
  bool negative = false;
  Mpfr lower;
  Mpfr upper;
  bool exact = false;   // lower == upper == y
  bool proven = false;  // exact by the comparison of integers, not by an exact computation
  mpfr_prec_t precision = 0;

  // y is exactly a number of at most 64 bits: on the grid of every format or half way in it.
  [[nodiscard]] bool is_short() const {
    const mpfr_srcptr value = lower;
    return exact && (mpfr_zero_p(value) != 0 || mpfr_min_prec(value) <= 64);
  }
};

class MpfrRow {
 public:
  static constexpr mpfr_prec_t kFirstPrecision = 192;
  static constexpr mpfr_prec_t kLastPrecision = 30000;

  MpfrRow(const Case& value, std::size_t row) : case_(&value), row_(row) {
    Mpfr sum(kSquarePrecision);
    for (std::size_t i = 0; i < value.x.width; ++i) {
      const Mpfr z = input(i);
      const Mpfr square = mpfr_exact(mpfr_mul, z, z, kProductPrecision);
      if (mpfr_add(sum, sum, square, MPFR_RNDN) != 0) throw std::logic_error("S was rounded");
    }
    Mpfr epsilon(53);
    mpfr_set_d(epsilon, value.epsilon.binary64, MPFR_RNDN);
    mpfr_set_ui(width_, value.x.width, MPFR_RNDN);
    const Mpfr n_epsilon = mpfr_exact(mpfr_mul, epsilon, width_, 128);
    denominator_ = mpfr_exact(mpfr_add, sum, n_epsilon, kSquarePrecision);
    enclose_factor(kFirstPrecision, factor_lower_, factor_upper_);
  }

  [[nodiscard]] MpfrMagnitude element(std::size_t index) const {
    const Mpfr product = mpfr_exact(mpfr_mul, input(index), gain(index), kProductPrecision);
    MpfrMagnitude y;
    y.negative = mpfr_sgn(static_cast<mpfr_srcptr>(product)) < 0;
    enclose(y, product, factor_lower_, factor_upper_);
    if (decided(y)) return y;
    if (is_exact(y, product)) return y;
    for (mpfr_prec_t precision = 4 * kFirstPrecision; precision <= kLastPrecision; precision *= 4) {
      Mpfr lower;
      Mpfr upper;
      enclose_factor(precision, lower, upper);
      enclose(y, product, lower, upper);
      if (decided(y)) return y;
    }
    throw std::logic_error("MPFR could not decide an element");
  }

  // The first enclosure of y wide enough for `precision` bits, whether or not it decides anything.
  [[nodiscard]] MpfrMagnitude element_at(std::size_t index, mpfr_prec_t precision) const {
    Mpfr lower;
    Mpfr upper;
    enclose_factor(precision, lower, upper);
    MpfrMagnitude y;
    const Mpfr product = mpfr_exact(mpfr_mul, input(index), gain(index), kProductPrecision);
    y.negative = mpfr_sgn(static_cast<mpfr_srcptr>(product)) < 0;
    enclose(y, product, lower, upper);
    return y;
  }

 private:
  static Mpfr number(Code code) {
    Mpfr value(53);
    mpfr_set_d(value, plain_value(code), MPFR_RNDN);
    return value;
  }

  [[nodiscard]] Mpfr input(std::size_t index) const {
    const Mpfr x = number(case_->x.at(row_, index));
    if (!case_->residual) return x;
    return mpfr_exact(mpfr_add, x, number(case_->residual->at(row_, index)), kProductPrecision);
  }

  [[nodiscard]] Mpfr gain(std::size_t index) const {
    Mpfr value(53);
    mpfr_set_d(value, case_->weight ? case_->weight_offset.binary64 : 1, MPFR_RNDN);
    if (!case_->weight) return value;
    return mpfr_exact(mpfr_add, value, number(case_->weight->at(0, index)), kProductPrecision);
  }

  // sqrt(n / (S + n epsilon)) from below and from above.
  void enclose_factor(mpfr_prec_t precision, Mpfr& lower, Mpfr& upper) const {
    mpfr_set_prec(lower, precision);
    mpfr_set_prec(upper, precision);
    mpfr_div(lower, width_, denominator_, MPFR_RNDD);
    mpfr_div(upper, width_, denominator_, MPFR_RNDU);
    mpfr_sqrt(lower, lower, MPFR_RNDD);
    mpfr_sqrt(upper, upper, MPFR_RNDU);
  }

  static void enclose(MpfrMagnitude& y, const Mpfr& product, const Mpfr& factor_lower,
                      const Mpfr& factor_upper) {
    Mpfr magnitude(product);
    mpfr_abs(magnitude, magnitude, MPFR_RNDN);
    y.precision = mpfr_get_prec(factor_lower);
    mpfr_set_prec(y.lower, y.precision);
    mpfr_set_prec(y.upper, y.precision);
    mpfr_mul(y.lower, magnitude, factor_lower, MPFR_RNDD);
    mpfr_mul(y.upper, magnitude, factor_upper, MPFR_RNDU);
    y.exact = mpfr_equal_p(y.lower, y.upper) != 0;
  }

  static bool decided(const MpfrMagnitude& y) {
    if (y.exact) return true;
    Mpfr below_lower(64);
    Mpfr below_upper(64);
    // y.lower itself must not be a number of 64 bits: y could be that number.
    if (mpfr_set(below_lower, y.lower, MPFR_RNDD) == 0) return false;
    mpfr_set(below_upper, y.upper, MPFR_RNDD);
    Mpfr above_upper(64);
    if (mpfr_set(above_upper, y.upper, MPFR_RNDU) == 0) return false;
    return mpfr_equal_p(below_lower, below_upper) != 0;
  }

  // Whether y is the one number of 64 bits inside the enclosure: c^2 (S + n epsilon) = n (g z)^2.
  bool is_exact(MpfrMagnitude& y, const Mpfr& product) const {
    Mpfr candidate(64);
    mpfr_set(candidate, y.lower, MPFR_RNDN);
    const Mpfr square = mpfr_exact(mpfr_mul, candidate, candidate, 128);
    const Mpfr left = mpfr_exact(mpfr_mul, square, denominator_, kSquarePrecision + 128);
    const Mpfr product_square = mpfr_exact(mpfr_mul, product, product, kSquarePrecision);
    const Mpfr right = mpfr_exact(mpfr_mul, product_square, width_, kSquarePrecision + 64);
    if (mpfr_equal_p(left, right) == 0) return false;
    mpfr_set(y.lower, candidate, MPFR_RNDN);
    mpfr_set(y.upper, candidate, MPFR_RNDN);
    y.exact = true;
    y.proven = true;
    return true;
  }

  const Case* case_;
  std::size_t row_;
  Mpfr width_;
  Mpfr denominator_;
  Mpfr factor_lower_;
  Mpfr factor_upper_;
};

// Rounds a number of any precision to a format: MPFR's own rounding, exponent range and subnormals,
// in the order that its manual gives for emulating a format.
inline double mpfr_rounded(const Mpfr& value, const FloatFormat& format, mpfr_rnd_t mode,
                           bool& inexact) {
  Mpfr result(format.precision);
  int ternary = mpfr_set(result, value, mode);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  // MPFR's significands lie in [1/2, 1). fp8_e4m3fn has numbers where others have infinity; the
  // caller treats 480, which is not among them.
  mpfr_set_emin(format.emin - format.precision + 2);
  mpfr_set_emax(format.emax + 1);
  ternary = mpfr_check_range(result, ternary, mode);
  ternary = mpfr_subnormalize(result, ternary, mode);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  inexact = ternary != 0;
  return mpfr_get_d(result, MPFR_RNDN);
}

// Requires a decided y.
inline PlainRounding mpfr_rounding(const MpfrMagnitude& y, const FloatFormat& format) {
  PlainRounding result;
  bool inexact = false;
  result.nearest = mpfr_rounded(y.lower, format, MPFR_RNDN, inexact);
  result.exact = y.exact && !inexact;
  result.toward_zero = mpfr_rounded(y.lower, format, MPFR_RNDD, inexact);
  result.away = mpfr_rounded(y.lower, format, MPFR_RNDU, inexact);
  if (y.exact && !result.exact) {
    FloatFormat finer = format;
    finer.precision += 1;
    // emin - p + 1 must fall by one too, which the longer precision does.
    mpfr_rounded(y.lower, finer, MPFR_RNDN, inexact);
    result.tie = !inexact;
  }
  return result;
}

}  // namespace normcert
