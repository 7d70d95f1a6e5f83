// The processor's rounding to narrow formats against numeric's one rounding function.
#include "emulation/hardware_rounding.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>

#include "emulation/arithmetic.hpp"
#include "emulation/number_samples.hpp"
#include "numeric/double_double.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr RoundingRule kTruncation{RoundingMode::kTowardZero, OverflowRule::kFormat};

// Every way of this file that rounds `value` to the format.
void check_rounding(double value, const FloatFormat& format, const NarrowRounder& rounder,
                    const HardwareCoder& coder) {
  const Code expected = convert(code_of(value), format);
  EXPECT_TRUE(same_bits(code_of(rounder(value)), convert(expected, kFp64)))
      << format.name << ' ' << value;
  EXPECT_EQ(coder.encode(value, false), expected.bits) << format.name << ' ' << value;
  EXPECT_EQ(coder.encode(value, true), convert(code_of(value), format, kTruncation).bits)
      << format.name << ' ' << value;
}

class NarrowFormat : public testing::TestWithParam<const FloatFormat*> {};

// Each number, the midpoint behind it, and binary64's neighbours of both: all that can go wrong.
TEST_P(NarrowFormat, EveryCodeAndMidpoint) {
  const FloatFormat& format = *GetParam();
  const NarrowRounder rounder(format);
  const HardwareCoder coder(format);
  std::uint64_t checked = 0;
  for (std::uint64_t magnitude = 0; magnitude <= format.max_finite_magnitude(); ++magnitude) {
    const Code code{magnitude, &format};
    const double value = to_binary64(code);
    EXPECT_EQ(coder.decode(magnitude), value);
    const double quantum =
        std::ldexp(1.0, static_cast<int>(ulp_exponent(leading_bits(decode(code)), format)));
    for (const double center : {value, value + quantum / 2}) {
      for (const double near :
           {std::nextafter(center, -INFINITY), center, std::nextafter(center, INFINITY)}) {
        check_rounding(near, format, rounder, coder);
        check_rounding(-near, format, rounder, coder);
        ++checked;
      }
    }
  }
  EXPECT_EQ(checked, 6 * (format.max_finite_magnitude() + 1));
}

TEST_P(NarrowFormat, BeyondItsRange) {
  const FloatFormat& format = *GetParam();
  const NarrowRounder rounder(format);
  const HardwareCoder coder(format);
  for (const Code code : special_codes(kFp64)) {
    const double value = to_binary64(code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(rounder(value)));
      EXPECT_TRUE(is_nan(Code{coder.encode(value, false), &format}));
    } else {
      check_rounding(value, format, rounder, coder);
    }
  }
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    for (const double factor : {1.0, 1.25, 1.999}) {
      check_rounding(std::ldexp(factor, exponent), format, rounder, coder);
    }
  }
}

TEST_P(NarrowFormat, DecodesNanAndInfinity) {
  const FloatFormat& format = *GetParam();
  const HardwareCoder coder(format);
  EXPECT_TRUE(std::isnan(coder.decode(format.nan_magnitude())));
  EXPECT_TRUE(std::signbit(coder.decode(format.sign_mask())));
  if (format.has_infinity()) {
    EXPECT_EQ(coder.decode(format.infinity_magnitude()), INFINITY);
    EXPECT_EQ(coder.decode(format.infinity_magnitude() | format.sign_mask()), -INFINITY);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFormat,
                         testing::Values(&kBf16, &kFp16, &kFp8E4m3fn, &kFp8E5m2, &kTf32),
                         [](const auto& param) { return std::string(param.param->name); });

// Operations of narrow formats by way of binary64, as HardwareMachine does them.
TEST(DoubleRounding, IsInnocuousForBinary32) {
  const RandomStream random(20260903, "double rounding");
  constexpr std::uint64_t kPairs = 100000;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    const int center = i % 2 == 0 ? 0 : -70;  // the second kind underflows in products
    const Code a = near_code(kFp32, center, random, 2 * i);
    const Code b = near_code(kFp32, center, random, 2 * i + 1);
    const double x = to_binary64(a);
    const double y = to_binary64(b);
    const auto check = [](double exact, Code expected) {
      EXPECT_TRUE(same_bits(code_of(static_cast<float>(exact)), expected));
    };
    check(x + y, rounded_sum(a, b, kFp32));
    check(x * y, rounded_product(a, b, kFp32));
    check(x / y, rounded_quotient(a, b, kFp32));
    check(std::sqrt(x), rounded_root(a, kFp32));
  }
}

void check_fma(Code a, Code b, Code c, const FloatFormat& format) {
  const double odd = fma_to_odd(to_binary64(a), to_binary64(b), to_binary64(c));
  EXPECT_TRUE(same_bits(convert(code_of(odd), format), rounded_fma(a, b, c, format)))
      << format.name << std::hex << ' ' << a.bits << ' ' << b.bits << ' ' << c.bits;
}

TEST(RoundingToOdd, MakesFusedMultiplyAddsRight) {
  for (const FloatFormat* format : {&kFp32, &kBf16, &kFp16}) {
    const std::vector<Code> codes = special_codes(*format);
    for (const Code a : codes) {
      for (const Code b : codes) {
        for (const Code c : codes) check_fma(a, b, c, *format);
      }
    }
    const RandomStream random(20260904, format->name);
    for (std::uint64_t i = 0; i < 100000; ++i) {
      check_fma(near_code(*format, 0, random, 3 * i), near_code(*format, 0, random, 3 * i + 1),
                near_code(*format, 1, random, 3 * i + 2), *format);
    }
  }
}

// a b + c is 2^-70 below a tie of binary32: binary64 drops that, and the tie then goes to even.
TEST(RoundingToOdd, SeesWhatBinary64Drops) {
  const double a = 0x1.000002p-24;
  const double b = 0x1.fffffcp-1;
  const double c = 0x1.000002p0;
  EXPECT_EQ(static_cast<float>(fma_to_odd(a, b, c)), 0x1.000002p0F);
  EXPECT_EQ(static_cast<float>(a * b + c), 0x1.000004p0F);
}

TEST(HardwareArithmetic, KnowsWhenTheRoundingModeWasChanged) {
  EXPECT_TRUE(arithmetic_is_default());
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  EXPECT_FALSE(arithmetic_is_default());
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_TRUE(arithmetic_is_default());
}

}  // namespace
}  // namespace normcert
