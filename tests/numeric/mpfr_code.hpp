// MPFR emulating a float format: precision, exponent range and gradual underflow as its manual
// describes (mpfr_subnormalize), and the result as a code.
#pragma once

#include <functional>

#include "numeric/hand_layout.hpp"
#include "numeric/mpfr_number.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

inline mpfr_rnd_t mpfr_mode(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kNearestEven:
      return MPFR_RNDN;
    case RoundingMode::kTowardZero:
      return MPFR_RNDZ;
    case RoundingMode::kAwayFromZero:
      return MPFR_RNDA;
  }
  throw std::logic_error("unknown mode");
}

// `compute` sets a number with the given rounding and returns MPFR's ternary value.
inline Code code_by_mpfr(const FloatFormat& format, RoundingMode mode,
                         const std::function<int(mpfr_ptr, mpfr_rnd_t)>& compute) {
  const HandLayout& layout = hand_layout(format);
  const int digits = layout.fraction_bits + 1;
  // MPFR's significands lie in [1/2, 1). The greatest exponent field of an "fn" format is one of
  // numbers.
  const int greatest_field = (1 << layout.exponent_bits) - (format.has_infinity() ? 2 : 1);
  const int least = 1 - layout.bias - layout.fraction_bits;
  const MpfrExponentRange range(least + 1, greatest_field - layout.bias + 1);
  MpfrNumber number(digits);
  const mpfr_rnd_t rounding = mpfr_mode(mode);
  int ternary = compute(number.get(), rounding);
  ternary = mpfr_check_range(number.get(), ternary, rounding);
  mpfr_subnormalize(number.get(), ternary, rounding);

  const std::uint64_t sign = mpfr_signbit(number.get()) != 0 ? layout.sign() : 0;
  if (mpfr_inf_p(number.get()) != 0) return {layout.overflow | sign, &format};
  if (mpfr_zero_p(number.get()) != 0) return {sign, &format};
  const LeadingBits value = number.leading();
  const auto exponent = static_cast<int>(value.exponent) + 63;
  const bool is_subnormal = exponent < 1 - layout.bias;
  const int last = is_subnormal ? least : exponent - layout.fraction_bits;
  const std::uint64_t significand = value.top >> (last - value.exponent);
  std::uint64_t magnitude = significand;
  if (!is_subnormal) {
    const auto field = static_cast<std::uint64_t>(exponent + layout.bias);
    magnitude =
        (field << layout.fraction_bits) + significand - (std::uint64_t{1} << layout.fraction_bits);
  }
  // What would be the number after the greatest of an "fn" format is its overflow.
  if (magnitude > layout.greatest_finite) {
    magnitude = mode == RoundingMode::kTowardZero ? layout.greatest_finite : layout.overflow;
  }
  return {magnitude | sign, &format};
}

}  // namespace normcert
