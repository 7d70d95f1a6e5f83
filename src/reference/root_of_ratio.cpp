#include "reference/root_of_ratio.hpp"

#include <utility>

namespace normcert {
namespace {

// Sign of |ratio| - (a/b)^2: N b^2 against a^2 D.
int compare_with_square(const BigDyadic& numerator, const BigDyadic& denominator,
                        const BigDyadic& a, const BigDyadic& b) {
  return compare(numerator * (b * b), (a * a) * denominator);
}

int compare_with_square(const DyadicRatio& ratio, const BigDyadic& a, const BigDyadic& b) {
  return compare_with_square(ratio.numerator, *ratio.denominator, a, b);
}

Wide difference(const BigDyadic& square, const BigDyadic& numerator, const BigDyadic& denominator) {
  return Wide(square * denominator - numerator) / Wide(denominator);
}

// Whether no number lies between those with these leading bits and those just below `high`.
bool reaches_no_further(const LeadingBits& low, const LeadingBits& high) {
  if (high.top == low.top && high.exponent == low.exponent) return true;
  if (high.sticky) return false;
  if (low.top == ~std::uint64_t{0}) {
    return high.top == std::uint64_t{1} << 63 && high.exponent == low.exponent + 1;
  }
  return high.top == low.top + 1 && high.exponent == low.exponent;
}

}  // namespace

RootOfRatio::RootOfRatio(bool negative, BigDyadic numerator,
                         std::shared_ptr<const BigDyadic> denominator)
    : negative_(negative), numerator_(std::move(numerator)), denominator_(std::move(denominator)) {}

RootOfRatio::RootOfRatio(bool negative, DyadicRatio middle, Bounds bounds)
    : negative_(negative),
      numerator_(std::move(middle.numerator)),
      denominator_(std::move(middle.denominator)),
      bounds_(std::make_shared<const Bounds>(std::move(bounds))) {}

const LeadingBits& RootOfRatio::leading() const {
  if (!leading_) {
    leading_ = bounds_ ? leading_between() : leading_bits_of_root(numerator_, *denominator_);
  }
  return *leading_;
}

LeadingBits RootOfRatio::leading_between() const {
  const auto& [low, high] = *bounds_;
  const LeadingBits above = leading_bits_of_root(high.numerator, *high.denominator);
  LeadingBits below;
  if (above.exponent + 64 < -kVanishing) {
    below = leading_bits_of_root(numerator_, *denominator_);
  } else {
    below = leading_bits_of_root(low.numerator, *low.denominator);
    if (!reaches_no_further(below, above)) {
      throw UndecidedComparison("the leading digits of a gated value are not known");
    }
  }
  below.sticky = true;  // the low end is not reached
  return below;
}

Code RootOfRatio::rounded(const FloatFormat& format, RoundingRule rule) const {
  return round(negative_, leading(), format, rule);
}

int RootOfRatio::compare_to(const BigDyadic& number) const {
  return compare_to_ratio(number, BigDyadic::integer(1));
}

int RootOfRatio::compare_to_ratio(const BigDyadic& numerator, const BigDyadic& denominator) const {
  const int own_sign = is_zero() ? 0 : (negative_ ? -1 : 1);
  if (own_sign != numerator.sign()) return own_sign < numerator.sign() ? -1 : 1;
  if (own_sign == 0) return 0;
  // Same sign: magnitudes.
  if (!bounds_) {
    return own_sign * compare_with_square(numerator_, *denominator_, numerator, denominator);
  }
  if (compare_with_square(bounds_->low, numerator, denominator) >= 0) return own_sign;
  if (compare_with_square(bounds_->high, numerator, denominator) <= 0) return -own_sign;
  throw UndecidedComparison("a gated value is too near to the number that it is compared with");
}

bool RootOfRatio::matches_printed(const ExactNumber& printed) const {
  BigDyadic center = printed.numerator;
  if (printed.negative) center = BigDyadic() - center;
  return compare_to_ratio(center - printed.half_unit, printed.denominator) >= 0 &&
         compare_to_ratio(center + printed.half_unit, printed.denominator) <= 0;
}

Wide RootOfRatio::wide() const {
  const Wide root = sqrt(Wide(numerator_) / Wide(*denominator_));
  return negative_ ? Wide() - root : root;
}

Wide RootOfRatio::difference_of_squares(const BigDyadic& number) const {
  constexpr int kKnown = 160;
  const BigDyadic square = number * number;
  const Wide result = difference(square, numerator_, *denominator_);
  if (!bounds_) return result;
  const auto& [low, high] = *bounds_;
  const Wide greatest = difference(square, low.numerator, *low.denominator);
  const Wide least = difference(square, high.numerator, *high.denominator);
  const Wide vanishing = Wide(BigDyadic::power_of_two(-kVanishing));
  const bool vanishes =
      compare(greatest.magnitude(), vanishing) < 0 && compare(least.magnitude(), vanishing) < 0;
  const Wide doubt = (greatest - least).times_power_of_two(kKnown);
  if (!vanishes && compare(doubt.magnitude(), result.magnitude()) > 0) {
    throw UndecidedComparison("the error of an output beside a gated value is not known");
  }
  return result;
}

bool within_tolerance(Code got, const RootOfRatio& value, const BigDyadic& atol,
                      const BigDyadic& rtol) {
  // Mirror so that value >= 0; then  got - atol <= (1 + rtol) value  and
  // (1 - rtol) value <= got + atol.
  BigDyadic a(decode(got));
  if (value.negative()) a = BigDyadic() - a;
  const BigDyadic one = BigDyadic::integer(1);
  // Sign of value_magnitude x factor - bound, for a factor > 0: value against bound / factor.
  const auto compare_scaled = [&](const BigDyadic& factor, const BigDyadic& bound) {
    const BigDyadic signed_bound = value.negative() ? BigDyadic() - bound : bound;
    const int order = value.compare_to_ratio(signed_bound, factor);
    return value.negative() ? -order : order;
  };
  if (compare_scaled(one + rtol, a - atol) < 0) return false;
  const BigDyadic lower_factor = one - rtol;
  const BigDyadic upper = a + atol;
  if (lower_factor.sign() > 0) return compare_scaled(lower_factor, upper) <= 0;
  if (lower_factor.sign() == 0) return upper.sign() >= 0;
  // -(rtol - 1) value <= upper  is  value >= -upper / (rtol - 1).
  return compare_scaled(rtol - one, BigDyadic() - upper) >= 0;
}

Wide absolute_error(Code got, const RootOfRatio& value) {
  const BigDyadic a(decode(got));
  const Wide magnitude = value.wide().magnitude();
  const bool opposite = a.sign() != 0 && !value.is_zero() && (a.sign() < 0) != value.negative();
  if (opposite || a.sign() == 0 || value.is_zero()) return Wide(a.magnitude()) + magnitude;
  return value.difference_of_squares(a).magnitude() / (Wide(a.magnitude()) + magnitude);
}

}  // namespace normcert
