// Activations in double-double arithmetic. Write u for 2^-53; the bounds of the operations are
// those of numeric/double_double.hpp.
#include <array>
#include <cmath>
#include <limits>

#include "numeric/activation.hpp"

namespace normcert {
namespace {

// ln 2 = kLogHigh + kLogMiddle + kLogLow (1 + d), |d| <= u: 35, 53 and 53 bits.
constexpr double kLogHigh = 0x1.62e42fef8p-1;
constexpr double kLogMiddle = 0x1.1cf79abc9e3b4p-36;
constexpr double kLogLow = -0x1.9ff0342542fc3p-90;
constexpr double kNearlyOne = 70;  // sigmoid(t) = 1 - 2^-100.99 there
constexpr int kTerms = 16;
constexpr int kCloseTerms = 9;  // the others in binary64
constexpr int kSquarings = 3;

// 2^exponent (high + low) = e^-t, 0 < t <= kGreatestGate.
//
// t = k ln 2 + s, |s| < 0.35, k < 2^18. k kLogHigh is exact (35 + 18 bits), and so are the first
// difference (TwoSum) and the product k kLogMiddle. k kLogLow and its rounding are below 2^-72 and
// 2^-125. Two additions whose results are below 0.36: s has an error below 2 x 3.1u^2 x 0.36 <
// 2.3u^2.
// x = -s/8, exactly; |x| < 0.044. The scheme 1 + x (1 + x/2 (1 + x/3 ...)) leaves out x^17/17! <
// 2^-124. Its inner lines are computed in binary64: within 4u, of which |x|^9/9! < 2^-59 counts in
// the end, less than u^2/8. Each line in double-double adds 3u^2 for the sum and |x| (7 + 3 + what
// came before) u^2, below 3.7u^2 in all of a result above 0.95: 4u^2. (What underflows where t is
// tiny is below 2^-1000, against 1.) Three squarings: 8 x 4u^2 + (4 + 2 + 1) 7u^2 = 81u^2. Together
// with s: less than 84u^2.
ScaledDoubleDouble exponential_of_negative(double t) {
  const double k = std::nearbyint(t / (kLogHigh + kLogMiddle));
  DoubleDouble s = two_sum(t, -k * kLogHigh);
  s = add(s, two_product(-k, kLogMiddle));
  s = add(s, DoubleDouble{-k * kLogLow, 0});
  const DoubleDouble x{s.high * -0.125, s.low * -0.125};
  double rest = 1;
  for (int j = kTerms; j > kCloseTerms; --j) rest = 1 + x.high * rest / j;
  DoubleDouble power{rest, 0};
  for (int j = kCloseTerms; j > 0; --j) {
    power = add(DoubleDouble{1, 0}, divide(multiply(x, power), static_cast<double>(j)));
  }
  for (int i = 0; i < kSquarings; ++i) power = multiply(power, power);
  return {power.high, power.low, -static_cast<int>(k)};
}

constexpr ScaledDoubleDouble kUnknown{std::numeric_limits<double>::quiet_NaN(), 0, 0};

// sigmoid(g), g != 0: 1 / (1 + e^-t), and e^-t times that for a negative g: 84u^2 (once as a
// summand, which has at most the larger relative error of two positive ones, once as a factor: but
// e^-t / (1 + e^-t) changes by at most the relative error of e^-t), 3u^2 for the sum, 15u^2 for the
// quotient: 103u^2, and 4u^2 for terms of second order and underflow. With the product by g 7u^2
// more: 114u^2 < 2^-99.
ScaledDoubleDouble scaled_sigmoid(double g) {
  const double t = std::fabs(g);
  if (t > kGreatestGate) return g < 0 ? kUnknown : ScaledDoubleDouble{1, 0, 0};
  if (g >= kNearlyOne) return {1, 0, 0};
  const ScaledDoubleDouble power = exponential_of_negative(t);
  // What is dropped of 1 + e^-t where t > 200 is below 2^-288.
  const DoubleDouble summand = power.exponent > -290
                                   ? DoubleDouble{times_power_of_two(power.high, power.exponent),
                                                  times_power_of_two(power.low, power.exponent)}
                                   : DoubleDouble{};
  const DoubleDouble sum = add(DoubleDouble{1, 0}, summand);
  const DoubleDouble numerator = g < 0 ? DoubleDouble{power.high, power.low} : DoubleDouble{1, 0};
  const DoubleDouble result = divide(numerator, sum);
  return {result.high, result.low, g < 0 ? power.exponent : 0};
}

}  // namespace

ScaledDoubleDouble scaled_activation(Activation activation, double g) {
  const bool is_silu = activation == Activation::kSilu;
  if (g == 0) return is_silu ? ScaledDoubleDouble{g, 0, 0} : ScaledDoubleDouble{0.5, 0, 0};
  if (!arithmetic_is_default()) return kUnknown;
  const ScaledDoubleDouble sigmoid = scaled_sigmoid(g);
  if (!is_silu || std::isnan(sigmoid.high)) return sigmoid;
  const ScaledDoubleDouble factor = normalized({g, 0, 0});
  const DoubleDouble result = multiply(DoubleDouble{sigmoid.high, sigmoid.low}, factor.high);
  return {result.high, result.low, sigmoid.exponent + factor.exponent};
}

DoubleDouble double_double_activation(Activation activation, double g) {
  const ScaledDoubleDouble value = normalized(scaled_activation(activation, g));
  constexpr int kGreatestExponent = 899;
  if (value.high != 0 && !(std::abs(value.exponent) < kGreatestExponent)) {
    return {kUnknown.high, 0};
  }
  return {times_power_of_two(value.high, value.exponent),
          times_power_of_two(value.low, value.exponent)};
}

}  // namespace normcert
