// MPFR numbers with the conversions that oracle tests need. A header alone, because the other
// programs of this folder do not link MPFR.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <stdexcept>

#include "numeric/big_dyadic.hpp"

namespace normcert {

class MpfrNumber {
 public:
  explicit MpfrNumber(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  ~MpfrNumber() { mpfr_clear(value_); }
  MpfrNumber(const MpfrNumber&) = delete;
  MpfrNumber& operator=(const MpfrNumber&) = delete;

  [[nodiscard]] mpfr_ptr get() { return value_; }
  [[nodiscard]] mpfr_srcptr get() const { return value_; }

  // Throws where `value` does not fit the precision: an oracle must not round on its own.
  void set_exactly(const BigDyadic& value) {
    mpfr_set_zero(value_, 1);
    BigDyadic rest = value.magnitude();
    MpfrNumber piece(64);
    while (rest.sign() != 0) {
      const LeadingBits bits = leading_bits(rest);
      mpfr_set_uj_2exp(piece.get(), bits.top, bits.exponent, MPFR_RNDN);
      if (mpfr_add(value_, value_, piece.get(), MPFR_RNDN) != 0) {
        throw std::logic_error("too long for this precision");
      }
      rest -= BigDyadic::integer(bits.top).times_power_of_two(bits.exponent);
    }
    if (value.sign() < 0) mpfr_neg(value_, value_, MPFR_RNDN);
  }

  // Of a number of at most 64 digits other than zero: |number| = top x 2^exponent, bit 63 of top
  // set.
  [[nodiscard]] LeadingBits leading() const {
    mpz_t integer;
    mpz_init(integer);
    const mpfr_exp_t exponent = mpfr_get_z_2exp(integer, value_);
    mpz_abs(integer, integer);
    const std::uint64_t bits = mpz_get_ui(integer);
    mpz_clear(integer);
    const LeadingBits top = leading_bits(Dyadic{false, bits, 0});
    return {top.top, exponent + top.exponent, false};
  }

 private:
  mpfr_t value_;
};

// The exponent range of MPFR, narrowed for one scope.
class MpfrExponentRange {
 public:
  MpfrExponentRange(mpfr_exp_t least, mpfr_exp_t greatest)
      : least_(mpfr_get_emin()), greatest_(mpfr_get_emax()) {
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
  }
  ~MpfrExponentRange() {
    mpfr_set_emin(least_);
    mpfr_set_emax(greatest_);
  }
  MpfrExponentRange(const MpfrExponentRange&) = delete;
  MpfrExponentRange& operator=(const MpfrExponentRange&) = delete;

 private:
  mpfr_exp_t least_;
  mpfr_exp_t greatest_;
};

}  // namespace normcert
