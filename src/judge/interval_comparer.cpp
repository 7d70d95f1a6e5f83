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

}  // namespace

IntervalComparer::IntervalComparer(const TensorView& got, const Criteria& criteria)
    : got_(got), format_(*got.format), max_ulp_(criteria.max_ulp) {
  if (!criteria.tolerance) return;
  has_tolerance_ = true;
  atol_ = criteria.tolerance->atol;
  rtol_ = normalized({criteria.tolerance->rtol, 0, 0});
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
  const std::int64_t ulp = ulp_exponent(low, format_);
  if (measured && !alike &&
      (is_normal(high, format_) != normal || ulp_exponent(high, format_) != ulp)) {
    return false;
  }
  const std::optional<Limits> known = limits(got, negative, magnitude, ulp);
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
                                                                 std::int64_t ulp) const {
  Limits result;
  if (!has_tolerance_ && !max_ulp_) return result;
  if (!is_finite(got)) {
    result.within = !has_tolerance_;
    return result;
  }
  const ScaledInterval error = error_interval(got, negative, magnitude);
  if (has_tolerance_) {
    const std::optional<bool> within = is_within(error, magnitude);
    if (!within) return std::nullopt;
    result.within = *within;
  }
  if (max_ulp_) {
    const double limit = times_power_of_two(*max_ulp_, narrowed(ulp - error.exponent));
    const double doubt = *max_ulp_ == 0 ? 0 : kUnderflow;
    if (error.low > limit + doubt) {
      result.beyond_ulp = true;
    } else if (!(error.high <= limit - doubt)) {
      return std::nullopt;
    }
  }
  return result;
}

// error <= atol + rtol |y|, all at the exponent of the error.
std::optional<bool> IntervalComparer::is_within(const ScaledInterval& error,
                                                const MagnitudeInterval& magnitude) const {
  const ScaledInterval value = magnitude_bounds(magnitude);
  const std::int64_t exponent = std::int64_t{value.exponent} + rtol_.exponent - error.exponent;
  const double absolute = times_power_of_two(atol_, narrowed(-std::int64_t{error.exponent}));
  const auto limit = [&](double end) {
    return absolute + times_power_of_two(rtol_.high * end, narrowed(exponent));
  };
  const double doubt = atol_ == 0 && rtol_.high == 0 ? 0 : kUnderflow;
  const double least = limit(value.low) * (1 - kRound) - doubt;
  const double greatest = limit(value.high) * (1 + kRound) + doubt;
  if (error.high <= std::max(least, 0.0)) return true;
  if (error.low > greatest) return false;
  return std::nullopt;
}

ErrorBounds IntervalComparer::bounds(const Enclosure& y, std::size_t row, std::size_t index) const {
  const Code got = got_.at(row, index);
  ErrorBounds result;
  if (!is_finite(got)) return result;
  if (y.is_zero()) {
    const double error = std::fabs(to_binary64(got));
    result.absolute = {error, error};
    const int ulp = format_.quantum_exponent();
    result.ulp = {scaled_down(error, -ulp), scaled_up(error, -ulp)};
    return result;
  }
  const MagnitudeInterval magnitude = magnitude_interval(y);
  const LeadingBits low = magnitude.leading_low();
  const LeadingBits high = magnitude.leading_high();
  const ScaledInterval error = error_interval(got, y.negative(), magnitude);
  result.absolute = {scaled_down(error.low, error.exponent), scaled_up(error.high, error.exponent)};
  result.ulp = {scaled_down(error.low, error.exponent - ulp_exponent(high, format_)),
                scaled_up(error.high, error.exponent - ulp_exponent(low, format_))};
  if (!is_normal(high, format_)) return result;
  const ScaledInterval value = magnitude_bounds(magnitude);
  const std::int64_t exponent = std::int64_t{error.exponent} - value.exponent;
  result.relative.high = scaled_up(error.high / value.low * (1 + kRound), exponent);
  if (is_normal(low, format_)) {
    result.relative.low = scaled_down(error.low / value.high * (1 - kRound), exponent);
  }
  return result;
}

}  // namespace normcert
