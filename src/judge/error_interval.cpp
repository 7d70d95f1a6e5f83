#include "judge/error_interval.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "numeric/double_double.hpp"

namespace normcert {
namespace {

constexpr double kAwayFrom = 0x1p-52;  // more than one rounding of a conversion
constexpr double kWidening = 0x1p-49;
constexpr int kNear = 2;  // binades between a and y up to which their difference may cancel

double converted(Uint128 value) {
  if (value >> 64 == 0) return static_cast<double>(static_cast<std::uint64_t>(value));
  return static_cast<double>(value);
}

// Whether the conversion above is exact.
bool fits(Uint128 value) {
  const auto low = static_cast<std::uint64_t>(value);
  const int zeros = low != 0 ? std::countr_zero(low)
                             : 64 + std::countr_zero(static_cast<std::uint64_t>(value >> 64));
  return bit_length(value) - zeros <= kFp64.precision;
}

// The binary64 number itself where there is one, else one not above (not below) the integer.
double lower(Uint128 value) { return converted(value) * (fits(value) ? 1 : 1 - kAwayFrom); }
double upper(Uint128 value) { return converted(value) * (fits(value) ? 1 : 1 + kAwayFrom); }

// What the two take; a difference of at most 2^-51 of the value, rounded down.
double lower_rest(Uint128 value) { return lower(value - static_cast<Uint128>(lower(value))); }
double upper_rest(Uint128 value) { return lower(static_cast<Uint128>(upper(value)) - value); }

// From one integer to another one.
ScaledInterval between(Uint128 low, Uint128 high, int exponent) {
  return {lower(low), upper(high), exponent, lower_rest(low), upper_rest(high)};
}

// Both at the exponent of the interval.
ScaledInterval of_integers(Uint128 observed, const MagnitudeInterval& magnitude) {
  const int exponent = magnitude.exponent;
  if (observed >= magnitude.high) {
    return between(observed - magnitude.high, observed - magnitude.low, exponent);
  }
  if (observed <= magnitude.low) {
    return between(magnitude.low - observed, magnitude.high - observed, exponent);
  }
  return between(0, std::max(magnitude.high - observed, observed - magnitude.low), exponent);
}

// The greater of the two brought to [1/2, 1]; the lesser may underflow there.
ScaledInterval of_binary64(const Dyadic& observed, bool opposite,
                           const MagnitudeInterval& magnitude, int exponent) {
  const auto significand = static_cast<double>(static_cast<std::uint64_t>(observed.magnitude));
  const double a = times_power_of_two(significand, observed.exponent - exponent);
  const double low = times_power_of_two(lower(magnitude.low), magnitude.exponent - exponent);
  const double high = times_power_of_two(upper(magnitude.high), magnitude.exponent - exponent);
  if (opposite) return {(a + low) * (1 - kWidening), (a + high) * (1 + kWidening), exponent};
  // The factors 4 and more between a and y leave at least 3/8 of the greater one.
  if (a > high) return {(a - high) * (1 - kWidening), (a - low) * (1 + kWidening), exponent};
  return {(low - a) * (1 - kWidening), (high - a) * (1 + kWidening), exponent};
}

}  // namespace

ScaledInterval error_interval(Code got, bool negative, const MagnitudeInterval& magnitude) {
  const Dyadic observed = decode(got);
  if (observed.magnitude == 0) return magnitude_bounds(magnitude);
  const bool opposite = observed.negative != negative;
  const int top_of_observed = observed.exponent + bit_length(observed.magnitude);
  const int top_of_value = magnitude.exponent + bit_length(magnitude.high);
  const int shift = observed.exponent - magnitude.exponent;
  if (!opposite && std::abs(top_of_observed - top_of_value) <= kNear) {
    // The interval reaches at least 64 bits below the leading one of y, a only 55: shift > 0.
    return of_integers(observed.magnitude << shift, magnitude);
  }
  return of_binary64(observed, opposite, magnitude, std::max(top_of_observed, top_of_value));
}

ScaledInterval magnitude_bounds(const MagnitudeInterval& magnitude) {
  return between(magnitude.low, magnitude.high, magnitude.exponent);
}

}  // namespace normcert
