// Rounded exponentials against MPFR.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numeric/exponential.hpp"
#include "numeric/mpfr_number.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

// MPFR rounds once, and again where the result is subnormal, as its manual describes.
float expected_binary32(float x) {
  MpfrNumber value(24);
  const MpfrExponentRange range(-148, 128);
  mpfr_set_flt(value.get(), x, MPFR_RNDN);
  const int direction = mpfr_exp(value.get(), value.get(), MPFR_RNDN);
  mpfr_subnormalize(value.get(), direction, MPFR_RNDN);
  return mpfr_get_flt(value.get(), MPFR_RNDN);
}

double expected_binary64(double x) {
  MpfrNumber value(53);
  const MpfrExponentRange range(-1073, 1024);
  mpfr_set_d(value.get(), x, MPFR_RNDN);
  const int direction = mpfr_exp(value.get(), value.get(), MPFR_RNDN);
  mpfr_subnormalize(value.get(), direction, MPFR_RNDN);
  return mpfr_get_d(value.get(), MPFR_RNDN);
}

TEST(ExponentialOracle, Binary32IsCorrectlyRounded) {
  const RandomStream random(1, "exponential");
  std::size_t subnormal = 0;
  std::size_t overflown = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    // Every exponent from 2^-40 on, so that both ends of the format are met.
    const std::uint64_t bits = random.bits(i);
    const float magnitude = std::ldexp(1 + static_cast<float>(bits & 0x7fffff) * 0x1p-23F,
                                       static_cast<int>(bits >> 23 & 0x3f) % 48 - 40);
    const float x = (bits >> 40 & 1) != 0 ? -magnitude : magnitude;
    const float expected = expected_binary32(x);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(rounded_exponential(x)),
              std::bit_cast<std::uint32_t>(expected))
        << x;
    subnormal += expected > 0 && expected < 0x1p-126F ? 1 : 0;
    overflown += std::isinf(expected) ? 1 : 0;
  }
  EXPECT_GT(subnormal, 100U);
  EXPECT_GT(overflown, 1000U);
}

TEST(ExponentialOracle, TheExactWayToBinary32AndBinary64) {
  const RandomStream random(2, "exponential");
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const double x = (random.uniform(i) - 0.5) * (i % 2 == 0 ? 1500 : 210);
    EXPECT_EQ(to_binary64(rounded_exponential(code_of(x), kFp64)), expected_binary64(x)) << x;
    const auto narrow = static_cast<float>(x);
    EXPECT_EQ(to_binary64(rounded_exponential(code_of(narrow), kFp32)),
              double{expected_binary32(narrow)})
        << narrow;
  }
}

TEST(ExponentialOracle, EndsAndKinds) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rounded_exponential(0.0F), 1.0F);
  EXPECT_EQ(rounded_exponential(-0.0F), 1.0F);
  EXPECT_EQ(rounded_exponential(infinity), infinity);
  EXPECT_EQ(rounded_exponential(-infinity), 0.0F);
  EXPECT_TRUE(std::isnan(rounded_exponential(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(rounded_exponential(-200.0F), 0.0F);
  EXPECT_EQ(rounded_exponential(200.0F), infinity);
  for (const FloatFormat* format : {&kFp32, &kFp64}) {
    EXPECT_EQ(to_binary64(rounded_exponential(code_of(0.0), *format)), 1);
    EXPECT_EQ(rounded_exponential(infinity_of(*format, false), *format).bits,
              infinity_of(*format, false).bits);
    EXPECT_EQ(rounded_exponential(infinity_of(*format, true), *format).magnitude(), 0U);
    EXPECT_TRUE(is_nan(rounded_exponential(nan_of(*format), *format)));
    EXPECT_EQ(rounded_exponential(code_of(-1000.0), *format).magnitude(), 0U);
    EXPECT_FALSE(is_finite(rounded_exponential(code_of(1000.0), *format)));
  }
}

}  // namespace
}  // namespace normcert
