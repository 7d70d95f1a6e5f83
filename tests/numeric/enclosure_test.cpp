#include "numeric/enclosure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

BigDyadic exact_magnitude(const ScaledDoubleDouble& y) {
  return (BigDyadic(y.high) + BigDyadic(y.low)).magnitude().times_power_of_two(y.exponent);
}

BigDyadic end(Uint128 magnitude, const MagnitudeInterval& interval) {
  return BigDyadic(Dyadic{false, magnitude, interval.exponent});
}

// Random values with low parts of any size and sign.
ScaledDoubleDouble value(const RandomStream& random, std::uint64_t i) {
  const double high = (random.uniform(4 * i) + 0.5) * (random.bits(4 * i) % 2 == 0 ? 1 : -1);
  const std::uint64_t shape = random.bits(4 * i + 1);
  double low = (random.uniform(4 * i + 2) - 0.5) * 0x1p-53 * std::fabs(high);
  if (shape % 3 == 0) low *= std::ldexp(1.0, -static_cast<int>(shape / 3 % 900));
  if (shape % 3 == 1) low = 0;
  const DoubleDouble sum = fast_two_sum(high, low);
  return {sum.high, sum.low, static_cast<int>(random.bits(4 * i + 3) % 4000) - 2000};
}

TEST(Enclosure, TheIntervalHoldsEverythingWithinTheBound) {
  const RandomStream random(11, "enclosure");
  for (std::uint64_t i = 0; i < 50000; ++i) {
    const ScaledDoubleDouble v = value(random, i);
    const double bound = std::ldexp(1 + random.uniform(i), -21 - static_cast<int>(i % 85));
    const MagnitudeInterval interval = magnitude_interval({v, bound});
    ASSERT_FALSE(interval.between);
    // |v - y| <= b |y| with y > 0:  v / (1 + b) <= y <= v / (1 - b).
    const BigDyadic b(bound);
    const BigDyadic one = BigDyadic::integer(1);
    ASSERT_LE(compare(end(interval.low, interval) * (one + b), exact_magnitude(v)), 0) << i;
    ASSERT_GE(compare(end(interval.high, interval) * (one - b), exact_magnitude(v)), 0) << i;
    // And it is not much wider: 2.01 bounds and 8 units of 2^-116.
    const BigDyadic width = end(interval.high - interval.low, interval);
    const BigDyadic widest = exact_magnitude(v) * (BigDyadic(2.01 * bound) + BigDyadic(0x1p-113));
    ASSERT_LE(compare(width, widest), 0) << i;
  }
}

TEST(Enclosure, AnExactValueHasItsOwnLeadingBits) {
  const RandomStream random(12, "enclosure");
  int between = 0;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    const ScaledDoubleDouble v = value(random, i);
    const MagnitudeInterval interval = magnitude_interval({v, 0});
    const BigDyadic magnitude = exact_magnitude(v);
    const LeadingBits expected = leading_bits(magnitude);
    for (const LeadingBits& bits : {interval.leading_low(), interval.leading_high()}) {
      ASSERT_EQ(bits.top, expected.top) << i;
      ASSERT_EQ(bits.exponent, expected.exponent) << i;
      ASSERT_EQ(bits.sticky, expected.sticky) << i;
    }
    const int at_low = compare(end(interval.low, interval), magnitude);
    const int at_high = compare(end(interval.high, interval), magnitude);
    ASSERT_EQ(at_low, interval.between ? -1 : 0);
    ASSERT_EQ(at_high, interval.between ? 1 : 0);
    if (interval.between) ++between;
  }
  EXPECT_GT(between, 10000);
  const MagnitudeInterval least = magnitude_interval({{-0x1p-1074, 0, 0}, 0});
  EXPECT_EQ(least.leading_low().exponent + 63, -1074);
}

}  // namespace
}  // namespace normcert
