#include "numeric/code.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "numeric/f16c.hpp"
#include "numeric/hand_layout.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

std::uint64_t code_count(const FloatFormat& format) { return std::uint64_t{1} << format.code_bits; }

TEST(Code, ClassesAreCounted) {
  struct Counts {
    const FloatFormat* format;
    std::array<std::uint64_t, 5> of_class;  // zeros, subnormals, normals, infinities, NaNs
  };
  const std::array<Counts, 4> expected{{
      {&kFp8E4m3fn, {2, 14, 238, 0, 2}},
      {&kFp8E5m2, {2, 6, 240, 2, 6}},
      {&kFp16, {2, 2046, 61440, 2, 2046}},
      {&kBf16, {2, 254, 65024, 2, 254}},
  }};
  for (const Counts& counts : expected) {
    std::array<std::uint64_t, 5> found{};
    for (std::uint64_t bits = 0; bits < code_count(*counts.format); ++bits) {
      const Code code{bits, counts.format};
      const FloatClass float_class = classify(code);
      ++found[static_cast<std::size_t>(float_class)];
      EXPECT_EQ(is_nan(code), float_class == FloatClass::kNan);
      EXPECT_EQ(is_infinite(code), float_class == FloatClass::kInfinity);
      EXPECT_EQ(is_finite(code), !is_nan(code) && !is_infinite(code));
    }
    EXPECT_EQ(found, counts.of_class) << counts.format->name;
  }
}

TEST(Code, EveryFiniteCodeDecodesAsByHand) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t bits = 0; bits < code_count(*format); ++bits) {
      const Code code{bits, format};
      if (!is_finite(code)) continue;
      ++cases;
      const double by_hand = hand_binary64(layout, bits);
      const Dyadic decoded = decode(code);
      const double magnitude = std::ldexp(static_cast<double>(decoded.magnitude), decoded.exponent);
      ASSERT_EQ(magnitude, std::abs(by_hand)) << format->name << " " << bits;
      ASSERT_EQ(decoded.negative, std::signbit(by_hand));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(to_binary64(code)),
                std::bit_cast<std::uint64_t>(by_hand));
    }
  }
  EXPECT_EQ(cases, 254U + 248 + 63488 + 65280);
}

TEST(Code, EveryCodeSurvivesDecodeAndRound) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    for (std::uint64_t bits = 0; bits < code_count(*format); ++bits) {
      const Code code{bits, format};
      for (const RoundingMode mode :
           {RoundingMode::kNearestEven, RoundingMode::kTowardZero, RoundingMode::kAwayFromZero}) {
        if (is_finite(code)) {
          ASSERT_EQ(round(decode(code), *format, {mode}).bits, bits);
          ASSERT_EQ(round(decode(code), *format, {mode, OverflowRule::kSaturate}).bits, bits);
        }
        const Code converted = convert(code, *format, {mode});
        ASSERT_TRUE(same_bits(converted, code)) << format->name << " " << bits;
        ASSERT_EQ(converted.negative(), code.negative());
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 3 * (2 * 256U + 2 * 65536));
}

TEST(Code, Fp16ToBinary64LikeTheProcessor) {
  if (!has_f16c()) GTEST_SKIP() << "this processor has no F16C";
  std::uint64_t cases = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double expected = f16c_to_binary32(static_cast<std::uint16_t>(bits));
    const double got = to_binary64({bits, &kFp16});
    ++cases;
    ASSERT_EQ(std::isnan(got), std::isnan(expected)) << bits;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
    if (!std::isnan(got)) {
      ASSERT_EQ(got, expected) << bits;
    }
  }
  EXPECT_EQ(cases, 65536U);
}

// A bf16 code is the upper half of a binary32 code; a tf32 code its upper 19 bits.
TEST(Code, Bf16AndTf32ToBinary64AreCutBinary32) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : {&kBf16, &kTf32}) {
    for (std::uint32_t bits = 0; bits < code_count(*format); ++bits) {
      const double expected = std::bit_cast<float>(bits << (32 - format->code_bits));
      const double got = to_binary64({bits, format});
      ++cases;
      ASSERT_EQ(std::isnan(got), std::isnan(expected)) << bits;
      ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
      if (!std::isnan(got)) {
        ASSERT_EQ(got, expected) << bits;
      }
    }
  }
  EXPECT_EQ(cases, 65536U + 524288U);
}

// Some formats have a short way to binary64; the long one is a rounding that finds nothing to
// round.
TEST(Code, ToBinary64LikeTheConversion) {
  const RandomStream random(1, "codes");
  std::uint64_t cases = 0;
  for (const FloatFormat* format : all_formats()) {
    for (std::uint64_t i = 0; i < 20000; ++i, ++cases) {
      const Code code{random.bits(i) >> (64 - format->code_bits), format};
      const double got = to_binary64(code);
      const Code expected = convert(code, kFp64);
      ASSERT_TRUE(same_bits(code_of(got), expected)) << format->name << " " << code.bits;
      ASSERT_EQ(std::signbit(got), expected.negative()) << format->name << " " << code.bits;
    }
  }
  EXPECT_EQ(cases, 140000U);
}

TEST(Code, SpecialsKeepKindAndSign) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const FloatFormat* format : all_formats()) {
    for (const bool negative : {false, true}) {
      const double sign = negative ? -1.0 : 1.0;
      const Code beyond = infinity_of(*format, negative);
      EXPECT_EQ(beyond.negative(), negative);
      EXPECT_EQ(is_infinite(beyond), format->has_infinity());
      EXPECT_EQ(is_nan(beyond), !format->has_infinity());
      if (format->has_infinity()) {
        EXPECT_EQ(to_binary64(beyond), sign * infinity);
      }
      EXPECT_EQ(to_binary64(zero_of(*format, negative)), 0.0);
      EXPECT_EQ(std::signbit(to_binary64(zero_of(*format, negative))), negative);

      const Code nan{nan_of(*format).bits | (negative ? format->sign_mask() : 0), format};
      EXPECT_TRUE(is_nan(nan));
      EXPECT_TRUE(std::isnan(to_binary64(nan)));
      EXPECT_EQ(std::signbit(to_binary64(nan)), negative);

      const Code from_infinity = convert(code_of(sign * infinity), *format);
      EXPECT_TRUE(same_bits(from_infinity, beyond));
      EXPECT_EQ(from_infinity.negative(), negative);
      const RoundingRule saturate{RoundingMode::kNearestEven, OverflowRule::kSaturate};
      EXPECT_EQ(convert(code_of(sign * infinity), *format, saturate),
                max_finite_of(*format, negative));
      EXPECT_TRUE(is_nan(convert(code_of(std::nan("")), *format, saturate)));
    }
  }
}

TEST(Code, OfHostNumbers) {
  EXPECT_EQ(code_of(1.0).bits, 0x3ff0000000000000U);
  EXPECT_TRUE(*code_of(1.0).format == kFp64);
  EXPECT_EQ(code_of(-2.5F).bits, 0xc0200000U);
  EXPECT_TRUE(*code_of(1.0F).format == kFp32);
  EXPECT_EQ(to_binary64(code_of(0.1F)), static_cast<double>(0.1F));
  EXPECT_EQ(to_binary64(code_of(-0x1p-1074)), -0x1p-1074);
}

TEST(Code, SameBits) {
  EXPECT_TRUE(same_bits({0x7e00, &kFp16}, {0xfc01, &kFp16}));
  EXPECT_FALSE(same_bits({0x0000, &kFp16}, {0x8000, &kFp16}));
  EXPECT_FALSE(same_bits({0x7c00, &kFp16}, {0x7e00, &kFp16}));
  EXPECT_FALSE(same_bits({0x3c00, &kFp16}, {0x3c00, &kBf16}));
  EXPECT_TRUE(same_bits({0x3c00, &kFp16}, {0x3c00, &kFp16}));
}

}  // namespace
}  // namespace normcert
