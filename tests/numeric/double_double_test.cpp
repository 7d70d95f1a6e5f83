// Each operation against exact dyadic rationals: without error where it says so, else within its
// bound.
#include "numeric/double_double.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace normcert {
namespace {

constexpr int kTrials = 200000;

BigDyadic exact(DoubleDouble number) { return BigDyadic(number.high) + BigDyadic(number.low); }

// |difference| <= factor u^2 |of|.
bool within(const BigDyadic& difference, double factor, const BigDyadic& of) {
  const BigDyadic limit = BigDyadic(factor).times_power_of_two(-106) * of.magnitude();
  return compare(difference.magnitude(), limit) <= 0;
}

// Random double-doubles: long and short significands, powers of two, low parts of every size.
class Source {
 public:
  explicit Source(std::string_view name) : random_(7, name) {}

  double number(int spread) {
    const std::uint64_t shape = next();
    double significand = 1 + static_cast<double>(next() >> 12) * 0x1p-52;
    if (shape % 8 == 0) significand = 1 + static_cast<double>(next() % 5) * 0x1p-52;
    if (shape % 8 == 1) significand = 2 - static_cast<double>(next() % 5) * 0x1p-52;
    if (shape % 8 == 2) significand = 1 + static_cast<double>(next() % 1024) * 0x1p-10;
    const int exponent = static_cast<int>(next() % static_cast<std::uint64_t>(2 * spread + 1));
    const double magnitude = std::ldexp(significand, exponent - spread);
    return shape >> 63 != 0 ? -magnitude : magnitude;
  }
  DoubleDouble pair(int spread) {
    const double high = number(spread);
    const std::uint64_t shape = next();
    if (shape % 16 == 0) return {high, 0};
    double low = number(0) * std::fabs(high) * 0x1p-55;
    if (shape % 16 < 4) low *= std::ldexp(1.0, -static_cast<int>(shape / 16 % 60));
    return fast_two_sum(high, low);
  }
  std::uint64_t next() { return random_.bits(index_++); }

 private:
  RandomStream random_;
  std::uint64_t index_ = 0;
};

TEST(DoubleDouble, SumsAndProductsOfTwoNumbersAreExact) {
  Source source("exact");
  for (int i = 0; i < kTrials; ++i) {
    const double a = source.number(i % 3 == 0 ? 400 : 30);
    const double b = source.number(i % 3 == 0 ? 400 : 30);
    ASSERT_EQ(compare(exact(two_sum(a, b)), BigDyadic(a) + BigDyadic(b)), 0) << a << ' ' << b;
    const double greater = std::fabs(a) >= std::fabs(b) ? a : b;
    const double lesser = std::fabs(a) >= std::fabs(b) ? b : a;
    ASSERT_EQ(compare(exact(fast_two_sum(greater, lesser)), BigDyadic(a) + BigDyadic(b)), 0);
    ASSERT_EQ(compare(exact(two_product(a, b)), BigDyadic(a) * BigDyadic(b)), 0) << a << ' ' << b;
  }
  // Also where everything is subnormal, and next to the limits that are stated.
  EXPECT_EQ(two_sum(0x1p-1074, -0x1.8p-1022).low, 0);
  EXPECT_EQ(two_sum(0x1.fffffffffffffp1021, 0x1p-1074).low, 0x1p-1074);
  EXPECT_EQ(two_sum(0x1.fffffffffffffp1021, 0x1.fffffffffffffp1021).high, 0x1.fffffffffffffp1022);
  EXPECT_EQ(compare(exact(two_product(0x1.fffffffffffffp-450, 0x1.ffffffffffffdp-450)),
                    BigDyadic(0x1.fffffffffffffp-450) * BigDyadic(0x1.ffffffffffffdp-450)),
            0);
}

TEST(DoubleDouble, OperationsKeepTheirBounds) {
  Source source("bounds");
  constexpr double kThirdOrder = 0x1p-40;
  for (int i = 0; i < kTrials; ++i) {
    const int spread = i % 4 == 0 ? 60 : 2;
    const DoubleDouble a = source.pair(spread);
    DoubleDouble b = source.pair(spread);
    if (i % 8 == 1) b = fast_two_sum(-a.high, b.low);  // cancels the high parts
    const double c = source.number(spread);
    const BigDyadic sum = exact(a) + exact(b);
    ASSERT_TRUE(within(exact(add(a, b)) - sum, 3 + kThirdOrder, sum)) << i;
    const BigDyadic product = exact(a) * exact(b);
    ASSERT_TRUE(within(exact(multiply(a, b)) - product, 7, product)) << i;
    const BigDyadic scaled = exact(a) * BigDyadic(c);
    ASSERT_TRUE(within(exact(multiply(a, c)) - scaled, 1.5 + kThirdOrder, scaled)) << i;
    ASSERT_TRUE(within(exact(divide(a, c)) * BigDyadic(c) - exact(a), 3, exact(a))) << i;
    ASSERT_TRUE(within(exact(divide(a, b)) * exact(b) - exact(a), 15 + kThirdOrder, exact(a))) << i;
    const DoubleDouble radicand = a.high < 0 ? DoubleDouble{-a.high, -a.low} : a;
    const BigDyadic root = exact(square_root(radicand));
    // |s - sqrt(a)| <= k sqrt(a) makes |s^2 - a| <= (2k + k^2) a.
    ASSERT_TRUE(within(root * root - exact(radicand), 10 + kThirdOrder, exact(radicand))) << i;
  }
}

TEST(DoubleDouble, ResultsAreNormalisedPairs) {
  Source source("pairs");
  for (int i = 0; i < kTrials; ++i) {
    const DoubleDouble a = source.pair(3);
    const DoubleDouble b = source.pair(3);
    const DoubleDouble positive = a.high < 0 ? DoubleDouble{-a.high, -a.low} : a;
    for (const DoubleDouble& r : {add(a, b), multiply(a, b), multiply(a, b.high), divide(a, b.high),
                                  divide(a, b), square_root(positive)}) {
      ASSERT_EQ(r.high + r.low, r.high) << i;
    }
  }
}

TEST(DoubleDouble, ScalingIsExactAndNormalises) {
  Source source("scaling");
  for (int i = 0; i < 20000; ++i) {
    const DoubleDouble a = source.pair(900);
    const ScaledDoubleDouble scaled = normalized({a.high, a.low, 0});
    ASSERT_GE(std::fabs(scaled.high), 1);
    ASSERT_LT(std::fabs(scaled.high), 2);
    ASSERT_EQ(times_power_of_two(scaled.high, scaled.exponent), a.high);
    ASSERT_EQ(times_power_of_two(scaled.low, scaled.exponent), a.low);
  }
  const ScaledDoubleDouble least = normalized({0x1p-1074, 0, 5});
  EXPECT_EQ(least.high, 1);
  EXPECT_EQ(least.exponent, -1069);
  EXPECT_EQ(normalized({0x1.8p1023, 0x1p960, 0}).exponent, 1023);
  EXPECT_EQ(times_power_of_two(1, 5000), HUGE_VAL);
  EXPECT_EQ(times_power_of_two(1, -5000), 0);
  EXPECT_EQ(times_power_of_two(0x1p-1074, 2000), 0x1p926);
}

TEST(DoubleDouble, AddsNumbersOfDifferentExponents) {
  Source source("add");
  for (int i = 0; i < 20000; ++i) {
    ScaledDoubleDouble a;
    ScaledDoubleDouble b;
    for (ScaledDoubleDouble* number : {&a, &b}) {
      const DoubleDouble pair = source.pair(0);
      const double sign = pair.high < 0 ? -1 : 1;
      const int range = i % 2 == 0 ? 4000 : 120;
      *number = normalized({sign * pair.high, sign * pair.low,
                            static_cast<int>(source.next() % 4001) * range / 4000});
    }
    const auto value = [](const ScaledDoubleDouble& x) {
      return exact({x.high, x.low}).times_power_of_two(x.exponent);
    };
    const ScaledDoubleDouble sum = add_nonnegative(a, b);
    const BigDyadic expected = value(a) + value(b);
    ASSERT_TRUE(within(value(sum) - expected, 3 + 0x1p-40, expected)) << i;
    ASSERT_GE(sum.high, 1);
    ASSERT_LT(sum.high, 2);
  }
  EXPECT_EQ(add_nonnegative({}, {1.5, 0, 7}).exponent, 7);
  EXPECT_EQ(add_nonnegative({1.5, 0, 7}, {}).high, 1.5);
}

TEST(DoubleDouble, ArithmeticOtherThanTheDefaultIsNoticed) {
  EXPECT_TRUE(arithmetic_is_default());
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const bool found = arithmetic_is_default();
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    EXPECT_FALSE(found) << mode;
  }
#if defined(__SSE2__)
  const unsigned int saved = _mm_getcsr();
  for (const unsigned int flag : {0x8000U, 0x0040U}) {  // flush to zero, denormals are zero
    _mm_setcsr(saved | flag);
    const bool found = arithmetic_is_default();
    _mm_setcsr(saved);
    EXPECT_FALSE(found) << flag;
  }
#endif
  EXPECT_TRUE(arithmetic_is_default());
}

}  // namespace
}  // namespace normcert
