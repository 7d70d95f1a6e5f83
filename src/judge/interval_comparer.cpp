#include "judge/interval_comparer.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr double kRound = 0x1p-50;  // covers the few roundings of a derived figure
// More than underflow can take from a limit, and nothing against an error other than zero, which
// is at least 2^-4 at its exponent.
constexpr double kUnderflow = 0x1p-1000;

bool is_normal(const LeadingBits& magnitude, const FloatFormat& format) {
  return magnitude.exponent + 63 >= format.emin;
}

bool is_correct(Code got, Code rounded) {
  return rounded.magnitude() == 0 ? got.magnitude() == 0 : same_bits(rounded, got);
}

int narrowed(std::int64_t exponent) {
  return static_cast<int>(std::clamp<std::int64_t>(exponent, -100000, 100000));
}

// number 2^exponent, rounded down (up).
double scaled_down(double number, std::int64_t exponent) {
  const double result = times_power_of_two(number, narrowed(exponent));
  if (std::isinf(result)) return DBL_MAX;
  return result < DBL_MIN && result > 0 ? std::nextafter(result, 0.0) : result;
}
double scaled_up(double number, std::int64_t exponent) {
  const double result = times_power_of_two(number, narrowed(exponent));
  return result < DBL_MIN && number > 0 ? std::nextafter(result, 1.0) : result;
}

// number 2^exponent where nothing of it is lost, else the binary64 number given.
DoubleDouble scaled(DoubleDouble number, std::int64_t exponent, double otherwise) {
  const int power = narrowed(exponent);
  const double high = times_power_of_two(number.high, power);
  if (!(high >= 0x1p-800 && high <= 0x1p1000)) return {otherwise, 0};
  return {high, times_power_of_two(number.low, power)};
}

// An interval times one power of two at its low and another at its high end.
MeasureBounds scaled_bounds(const ScaledInterval& interval, std::int64_t low_exponent,
                            std::int64_t high_exponent) {
  MeasureBounds result;
  result.low = scaled_down(interval.low, low_exponent);
  result.high = scaled_up(interval.high, high_exponent);
  result.closer_low = scaled(interval.closer_low(), low_exponent, result.low);
  result.closer_high = scaled(interval.closer_high(), high_exponent, result.high);
  return result;
}

// The quotient, and less (more) by 2^-100 of it: that covers the division of double-doubles.
DoubleDouble quotient_down(DoubleDouble number, DoubleDouble divisor) {
  const DoubleDouble quotient = divide(number, divisor);
  return fast_two_sum(quotient.high, quotient.low - quotient.high * 0x1p-100);
}
DoubleDouble quotient_up(DoubleDouble number, DoubleDouble divisor) {
  const DoubleDouble quotient = divide(number, divisor);
  return fast_two_sum(quotient.high, quotient.low + quotient.high * 0x1p-100);
}

}  // namespace

IntervalComparer::IntervalComparer(const TensorView& got, const Criteria& criteria)
    : got_(got), format_(*got.format), max_ulp_(criteria.max_ulp) {
  if (!criteria.tolerance) return;
  has_tolerance_ = true;
  atol_ = criteria.tolerance->atol;
  rtol_ = criteria.tolerance->rtol;
  scaled_rtol_ = normalized({rtol_, 0, 0});
  above_one_ = normalized({1 + rtol_, 0, 0});
  below_one_ = normalized({1 - rtol_, 0, 0});
}

bool IntervalComparer::decide(const Enclosure& y, std::size_t row, std::size_t index,
                              Comparison& into) const {
  const Code got = got_.at(row, index);
  const bool negative = y.negative();
  if (y.is_zero()) {
    decide_zero(negative, got, into);
    return true;
  }
  const MagnitudeInterval magnitude = magnitude_interval(y);
  const LeadingBits low = magnitude.leading_low();
  const LeadingBits high = magnitude.leading_high();
  // Then every number between them has these leading bits, which answer for all of them.
  const bool alike =
      low.top == high.top && low.exponent == high.exponent && low.sticky == high.sticky;

  const Code rounded = round(negative, low, format_);
  if (!alike && round(negative, high, format_) != rounded) return false;
  bool faithful = is_correct(got, rounded);
  if (!faithful) {
    // All numbers round alike, so only one side of `rounded` can make a neighbour faithful: if the
    // ends agree, so does what lies between.
    faithful = is_faithful(got, negative, low);
    if (!alike && is_faithful(got, negative, high) != faithful) return false;
  }
  const bool measured = is_finite(got);
  const bool normal = is_normal(low, format_);
  if (measured && !alike && is_normal(high, format_) != normal) return false;
  const std::optional<Limits> known =
      limits(got, negative, magnitude, ulp_exponent(low, format_), ulp_exponent(high, format_));
  if (!known) return false;
  count(got, rounded, faithful, *known, into);
  if (measured && !normal) ++into.below_normal;
  return true;
}

void IntervalComparer::decide_zero(bool negative, Code got, Comparison& into) const {
  const bool measured = is_finite(got);
  Limits known{.within = !has_tolerance_ || (measured && std::fabs(to_binary64(got)) <= atol_)};
  if (measured && max_ulp_) {
    Dyadic in_ulps = decode(got);
    in_ulps.exponent -= format_.quantum_exponent();
    known.beyond_ulp = compare_magnitude(in_ulps, dyadic_of(*max_ulp_)) > 0;
  }
  count(got, zero_of(format_, negative), got.magnitude() == 0, known, into);
  if (measured) ++into.below_normal;
}

void IntervalComparer::count(Code got, Code rounded, bool faithful, Limits limits,
                             Comparison& into) const {
  const bool correct = is_correct(got, rounded);
  const bool got_is_finite = is_finite(got);
  const bool rounded_is_finite = is_finite(rounded);
  if (correct) ++into.correctly_rounded;
  if (faithful) ++into.faithful;
  if (rounded.magnitude() == 0 && got.magnitude() == 0 && got != rounded) ++into.zero_sign_differs;
  if (!rounded_is_finite) ++into.non_finite.reference;
  if (!got_is_finite) ++into.non_finite.got;
  if (!(got_is_finite ? rounded_is_finite : same_bits(got, rounded))) ++into.non_finite.disagree;
  if (!is_nan(got) && !is_nan(rounded)) into.code_distance.add(code_distance(got, rounded));
  if (!limits.within) ++(correct ? into.unattainable : into.outside_tolerance);
  if (limits.beyond_ulp) ++into.beyond_max_ulp;
}

std::optional<IntervalComparer::Limits> IntervalComparer::limits(Code got, bool negative,
                                                                 const MagnitudeInterval& magnitude,
                                                                 std::int64_t least_ulp,
                                                                 std::int64_t greatest_ulp) const {
  Limits result;
  if (!has_tolerance_ && !max_ulp_) return result;
  if (!is_finite(got)) {
    result.within = !has_tolerance_;
    return result;
  }
  const ScaledInterval error = error_interval(got, negative, magnitude);
  if (has_tolerance_) {
    const std::optional<bool> within = is_within(got, negative, error, magnitude);
    if (!within) return std::nullopt;
    result.within = *within;
  }
  if (max_ulp_) {
    const auto limit = [&](std::int64_t ulp) {
      return times_power_of_two(*max_ulp_, narrowed(ulp - error.exponent));
    };
    const double doubt = *max_ulp_ == 0 ? 0 : kUnderflow;
    if (error.low > limit(greatest_ulp) + doubt) {
      result.beyond_ulp = true;
    } else if (!(error.high <= limit(least_ulp) - doubt)) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<bool> IntervalComparer::is_within(Code got, bool negative,
                                                const ScaledInterval& error,
                                                const MagnitudeInterval& magnitude) const {
  // |y| <= atol + rtol |y|
  if (got.magnitude() == 0 && rtol_ >= 1) return true;
  const ScaledInterval value = magnitude_bounds(magnitude);
  const std::int64_t to_error = std::int64_t{value.exponent} - error.exponent;
  const double absolute = times_power_of_two(atol_, narrowed(-std::int64_t{error.exponent}));
  // factor.high |y| 2^factor.exponent at the exponent of the error, for one end of |y|.
  const auto times_value = [&](const ScaledDoubleDouble& factor, double end) {
    return times_power_of_two(factor.high * end, narrowed(to_error + factor.exponent));
  };

  // error <= atol + rtol |y|
  const double doubt = atol_ == 0 && scaled_rtol_.high == 0 ? 0 : kUnderflow;
  const double least = (absolute + times_value(scaled_rtol_, value.low)) * (1 - kRound) - doubt;
  const double greatest = (absolute + times_value(scaled_rtol_, value.high)) * (1 + kRound) + doubt;
  if (error.high <= std::max(least, 0.0)) return true;
  if (error.low > greatest) return false;

  // Where rtol is near 1 and a small beside y, error and limit are both near |y|. With a mirrored
  // so that y >= 0, the same is  a <= atol + (1 + rtol) |y|  and  (1 - rtol) |y| <= a + atol.
  const Dyadic observed = decode(got);
  const double a =
      times_power_of_two(static_cast<double>(static_cast<std::uint64_t>(observed.magnitude)) *
                             (observed.negative == negative ? 1 : -1),
                         narrowed(std::int64_t{observed.exponent} - error.exponent));
  if (!(a < (absolute + times_value(above_one_, value.low)) * (1 - kRound) - kUnderflow)) {
    return std::nullopt;
  }
  if (rtol_ == 1) return observed.negative == negative || std::fabs(to_binary64(got)) <= atol_;
  const double right = a + absolute;
  const double left_low = times_value(below_one_, below_one_.high < 0 ? value.high : value.low);
  const double left_high = times_value(below_one_, below_one_.high < 0 ? value.low : value.high);
  const double doubt_of_both =
      (std::fabs(right) + std::max(std::fabs(left_low), std::fabs(left_high))) * kRound +
      kUnderflow;
  if (left_high + doubt_of_both < right) return true;
  if (left_low - doubt_of_both > right) return false;
  return std::nullopt;
}

ErrorBounds IntervalComparer::bounds(const Enclosure& y, std::size_t row, std::size_t index) const {
  const Code got = got_.at(row, index);
  ErrorBounds result;
  if (!is_finite(got)) return result;
  if (y.is_zero()) {
    const double error = std::fabs(to_binary64(got));
    result.absolute = scaled_bounds({error, error}, 0, 0);
    const int ulp = format_.quantum_exponent();
    result.ulp = scaled_bounds({error, error}, -ulp, -ulp);
    return result;
  }
  const MagnitudeInterval magnitude = magnitude_interval(y);
  const LeadingBits low = magnitude.leading_low();
  const LeadingBits high = magnitude.leading_high();
  const ScaledInterval error = error_interval(got, y.negative(), magnitude);
  result.absolute = scaled_bounds(error, error.exponent, error.exponent);
  result.ulp = scaled_bounds(error, error.exponent - ulp_exponent(high, format_),
                             error.exponent - ulp_exponent(low, format_));
  if (!is_normal(high, format_)) return result;
  const ScaledInterval value = magnitude_bounds(magnitude);
  const std::int64_t exponent = std::int64_t{error.exponent} - value.exponent;
  MeasureBounds& relative = result.relative;
  relative.high = scaled_up(error.high / value.low * (1 + kRound), exponent);
  relative.closer_high =
      scaled(quotient_up(error.closer_high(), value.closer_low()), exponent, relative.high);
  if (is_normal(low, format_)) {
    relative.low = scaled_down(error.low / value.high * (1 - kRound), exponent);
    relative.closer_low =
        scaled(quotient_down(error.closer_low(), value.closer_high()), exponent, relative.low);
  }
  return result;
}

}  // namespace normcert
