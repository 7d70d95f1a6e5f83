// Rounding to the formats that the processor has, against the processor.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

// Of a finite value, from the cast to nearest and the exact comparison of its result.
float cast_toward(double value, RoundingMode mode) {
  const auto nearest = static_cast<float>(value);
  const double magnitude = std::abs(value);
  const double got = std::abs(static_cast<double>(nearest));
  if (mode == RoundingMode::kTowardZero && got > magnitude) return std::nextafter(nearest, 0.0F);
  if (mode == RoundingMode::kAwayFromZero && got < magnitude) {
    return std::nextafter(
        nearest, std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(value)));
  }
  return nearest;
}

void expect_like_cast(double value) {
  for (const RoundingMode mode :
       {RoundingMode::kNearestEven, RoundingMode::kTowardZero, RoundingMode::kAwayFromZero}) {
    const Code expected = code_of(cast_toward(value, mode));
    ASSERT_EQ(round(dyadic_of(value), kFp32, {mode}).bits, expected.bits)
        << std::hexfloat << value << " mode " << static_cast<int>(mode);
    ASSERT_EQ(convert(code_of(value), kFp32, {mode}).bits, expected.bits);
  }
}

TEST(RoundingHardware, Binary64ToBinary32AroundItsNumbers) {
  std::uint64_t cases = 0;
  const RandomStream random(1, "casts");
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // Every exponent field of binary32 in turn, with a random fraction.
    const auto bits = static_cast<std::uint32_t>((i % 255) << 23 | random.bits(i) >> 41);
    const double below = std::bit_cast<float>(bits);
    const double above =
        std::nextafter(std::bit_cast<float>(bits), std::numeric_limits<float>::infinity());
    const double middle = std::isinf(above) ? 0x1.ffffffp127 : below / 2 + above / 2;
    for (const double value : {below, middle}) {
      for (const double near : {std::nextafter(value, 0.0), value, std::nextafter(value, 1e300)}) {
        expect_like_cast(near);
        expect_like_cast(-near);
        cases += 2;
      }
    }
  }
  EXPECT_EQ(cases, 20000U * 12);
}

TEST(RoundingHardware, Binary64ToBinary32AtRandom) {
  const RandomStream random(2, "casts");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    // Exponents around binary32's range: uniform codes would nearly all over- or underflow.
    const std::uint64_t bits = random.bits(i);
    const int exponent = static_cast<int>(bits % 300) - 160;
    expect_like_cast(std::ldexp(random.uniform(i) + 1, exponent) * ((bits >> 40) % 2 ? 1 : -1));
    ++cases;
  }
  EXPECT_EQ(cases, 200000U);
}

// Sums and products of binary64 numbers: the exact result rounded once is what the processor gives.
TEST(RoundingHardware, SumsAndProductsOfBinary64) {
  const RandomStream random(3, "operations");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double a = std::ldexp(random.uniform(3 * i) + 1, static_cast<int>(random.bits(i) % 40));
    const double b = -std::ldexp(random.uniform(3 * i + 1) + 1, static_cast<int>(i % 40));
    const double tiny = std::ldexp(random.uniform(3 * i + 2) + 1, -1074 + static_cast<int>(i % 60));
    ASSERT_EQ(round(multiply(dyadic_of(a), dyadic_of(b)), kFp64), code_of(a * b));
    // The product of two small numbers lands among the subnormals.
    const double factor = std::ldexp(a, -60);
    ASSERT_EQ(round(multiply(dyadic_of(tiny), dyadic_of(factor)), kFp64), code_of(tiny * factor));
    const Uint128 x = dyadic_of(a).magnitude << (dyadic_of(a).exponent + 52);
    const Uint128 y = dyadic_of(b).magnitude << (dyadic_of(b).exponent + 52);
    const Dyadic sum{x < y, x < y ? y - x : x - y, -52};
    if (sum.magnitude != 0) {
      ASSERT_EQ(round(sum, kFp64), code_of(a + b));
    }
    ++cases;
  }
  EXPECT_EQ(cases, 100000U);
}

}  // namespace
}  // namespace normcert
