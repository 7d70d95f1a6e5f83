#include "numeric/activation.hpp"

#include <cmath>
#include <stdexcept>

#include "numeric/big_dyadic_parts.hpp"
#include "numeric/enclosure.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

// Numbers of [0, 2^19) in steps of 2^-kFraction; every operation below cuts off, so that each one
// costs at most a step. Products have at most 2 kFraction + 19 + 64 bits and fit.
namespace mp = boost::multiprecision;
using Fixed =
    mp::number<mp::cpp_int_backend<1024, 1024, mp::unsigned_magnitude, mp::unchecked, void>,
               mp::et_off>;
constexpr int kFraction = 384;
constexpr int kLogGuard = 64;
constexpr unsigned kHalvings = 12;
constexpr unsigned kTerms = 26;
// What of a quotient is kept.
constexpr int kKept = 340;
// The error that is stated, relative to the distance from the plain number.
constexpr int kStated = 330;
static_assert(kStated > kActivationBits);
constexpr int kVanished = -189000;  // e^-kGreatestGate kGreatestGate = 2^-189080.6

const Fixed& one() {
  static const Fixed value = Fixed(1) << kFraction;
  return value;
}

// floor(ln 2 x 2^(kFraction + kLogGuard)).
const Fixed& log_of_two() {
  static const Fixed value(
      "0xb17217f7d1cf79abc9e3b39803f2f6af40f343267298b62d8a0d175b8baafa2be7b876206debac98559552fb4"
      "afa1b10ed2eae35c1382144");
  return value;
}

Fixed product(const Fixed& a, const Fixed& b) { return (a * b) >> kFraction; }

// |value|, cut off. Requires a value below 2^19.
Fixed fixed_of(const Dyadic& value, int fraction) {
  Fixed result = static_cast<std::uint64_t>(value.magnitude);
  const int shift = value.exponent + fraction;
  if (shift >= 0) return result << shift;
  return shift > -64 ? result >> -shift : Fixed(0);
}

// h(r) = (e^r - 1) / r for 0 <= r <= 1, with an error of at most 2^10 steps.
//
// By Taylor for x = r / 2^12, which leaves out less than x^27 / 28! (1 + x) < 2^-324-97 < 1 step;
// a term of the scheme 1 + x/2 (1 + x/3 (...)) costs at most 3 steps (x cut off, product, quotient)
// and inherits x/2 of what came before: below 4 steps in all, with the rest of the series 5. Then
// h(2x) = h(x) (1 + x h(x) / 2), twelve times. A doubling multiplies an error by at most
// 1 + x h(x) <= e^(x h(x)) and adds at most 3 steps for its cuts and h^2/2 < 1.5 for x; the x h(x)
// add up to less than the sum r/2 + r/4 + ... times h(1) < 1.72: (5 + 12 x 4.5) e^1.72 < 330 steps.
Fixed growth(const Fixed& r) {
  const Fixed x = r >> kHalvings;
  Fixed h = one();
  for (unsigned j = kTerms; j > 0; --j) h = one() + product(x, h) / (j + 1);
  for (unsigned halvings = kHalvings; halvings > 0; --halvings) {
    h += product(h, product(r >> halvings, h)) >> 1;
  }
  return h;
}

BigDyadic dyadic(const Fixed& value, std::int64_t exponent) {
  BigDyadic result;
  result.parts().integer = static_cast<BigInteger>(value);
  result.parts().exponent = exponent;
  return result;
}

// value (1 +- 2^-kStated), or less.
EnclosedActivation enclosed(const BigDyadic& value) {
  const std::int64_t top = leading_bits(value).exponent + 63;
  return {value, BigDyadic::power_of_two(top - kStated)};
}

// The distance d of sigmoid(+-t) from 1/2, for 0 < t < 1:
//   d = 1/2 tanh(t/2) = 1/2 (e^t - 1) / (e^t + 1) = t/2 h / (2 + t h).
// h is within 2^10 steps and t h within 2^11, so that the quotient, at least 0.46, is within 2^11
// steps, below 2^-371 of it; what is cut off of it is below 2^-338 of it. t/2 is exact.
EnclosedActivation distance_from_half(const Dyadic& t) {
  const Fixed argument = fixed_of(t, kFraction);
  const Fixed h = growth(argument);
  const Fixed quotient = (h << kFraction) / (2 * one() + product(argument, h));
  const BigDyadic factor = dyadic(quotient >> (kFraction - kKept), -kKept - 1);
  return enclosed(BigDyadic(t) * factor);
}

// sigmoid(-t) for 1 <= t <= kGreatestGate: with t = k ln 2 + r, 0 <= r < 0.7,
//   1 / (1 + e^t) = 2^-k / (2^-k + e^r),   e^r = 1 + r h(r).
// k < 2^18 times the error of ln 2 is below 2^-430, so r is within 2 steps and e^r within 2^11. The
// quotient, at least 1/3, is within 2^11 steps, 2^-371 of it, and 2^-338 for what is cut off.
EnclosedActivation sigmoid_of_negative(const Dyadic& t, double value) {
  auto k = static_cast<std::int64_t>(std::floor(value / 0.6931471805599453));
  const Fixed exact = fixed_of(t, kFraction + kLogGuard);
  if (exact < log_of_two() * k) --k;
  const Fixed r = (exact - log_of_two() * k) >> kLogGuard;
  const Fixed power = one() + product(r, growth(r));
  const Fixed added = k <= kFraction ? one() >> static_cast<unsigned>(k) : Fixed(0);
  const Fixed quotient = (one() << kFraction) / (power + added);
  return enclosed(dyadic(quotient >> (kFraction - kKept), -kKept - k));
}

EnclosedActivation operator*(const EnclosedActivation& a, const BigDyadic& factor) {
  return {a.value * factor, a.error * factor.magnitude()};
}

// Between 0 and 2^kVanished.
EnclosedActivation vanished() {
  const BigDyadic middle = BigDyadic::power_of_two(kVanished - 1);
  return {middle, middle};
}

LeadingBits just_below(LeadingBits bits) {
  if (bits.sticky) return bits;
  bits.sticky = true;
  if (--bits.top >> 63 == 0) bits = {~std::uint64_t{0}, bits.exponent - 1, true};
  return bits;
}

// Beyond this |g| the distance from 0, 1 or g is below 2^-1400 |g|: under half of the least number
// of any format, and under any digit of one.
constexpr double kFarOut = 1000;

Code rounded_far_out(Activation activation, Code g, const FloatFormat& format) {
  const bool is_silu = activation == Activation::kSilu;
  if (g.negative()) return zero_of(format, is_silu);
  const LeadingBits limit = is_silu ? leading_bits(decode(g)) : leading_bits(Dyadic{false, 1, 0});
  return round(false, just_below(limit), format);
}

Code rounded_activation_of_special(Activation activation, Code g, const FloatFormat& format) {
  if (is_nan(g)) return convert(g, format);
  if (activation == Activation::kSigmoid) {
    return g.negative() ? zero_of(format, false) : round(Dyadic{false, 1, 0}, format);
  }
  return g.negative() ? zero_of(format, true) : infinity_of(format, false);
}

}  // namespace

EnclosedActivation enclosed_activation(Activation activation, Code g) {
  const Dyadic number = decode(g);
  const bool is_silu = activation == Activation::kSilu;
  if (number.magnitude == 0) {
    return {is_silu ? BigDyadic() : BigDyadic::power_of_two(-1), BigDyadic()};
  }
  const Dyadic t{false, number.magnitude, number.exponent};
  const double magnitude = std::fabs(to_binary64(g));
  const BigDyadic factor = is_silu ? BigDyadic(t) : BigDyadic::integer(1);
  EnclosedActivation result;
  if (magnitude < 1) {
    // 1/2 +- d, times t for silu: its sign comes last.
    result = distance_from_half(t);
    const BigDyadic half = BigDyadic::power_of_two(-1);
    result.value = number.negative ? half - result.value : half + result.value;
    result = result * factor;
  } else {
    result = magnitude <= kGreatestGate ? sigmoid_of_negative(t, magnitude) * factor : vanished();
    // sigmoid(t) = 1 - sigmoid(-t), silu(t) = t - t sigmoid(-t).
    if (!number.negative) result.value = factor - result.value;
  }
  if (is_silu && number.negative) result.value = BigDyadic() - result.value;
  return result;
}

BigDyadic precise_activation(Activation activation, Code g) {
  return enclosed_activation(activation, g).value;
}

Code rounded_activation(Activation activation, Code g, const FloatFormat& format) {
  if (!is_finite(g)) return rounded_activation_of_special(activation, g, format);
  const bool is_silu = activation == Activation::kSilu;
  if (g.magnitude() == 0) {
    return is_silu ? zero_of(format, g.negative()) : round(Dyadic{false, 1, -1}, format);
  }
  const double value = to_binary64(g);
  if (std::fabs(value) > kFarOut) return rounded_far_out(activation, g, format);
  const bool negative = is_silu && g.negative();
  const ScaledDoubleDouble fast = scaled_activation(activation, value);
  if (!std::isnan(fast.high)) {
    const MagnitudeInterval interval = magnitude_interval({fast, kDoubleDoubleActivationError});
    const Code low = round(negative, interval.leading_low(), format);
    if (low == round(negative, interval.leading_high(), format)) return low;
  }
  const EnclosedActivation precise = enclosed_activation(activation, g);
  const Code low = round(negative, leading_bits(precise.value - precise.error), format);
  if (low == round(negative, leading_bits(precise.value + precise.error), format)) return low;
  throw std::logic_error("the digits of an activation do not decide how it rounds");
}

}  // namespace normcert
