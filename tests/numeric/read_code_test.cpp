// read_code against the C library and by hand.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "numeric/decimal.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

// The texts that strtod and strtof are asked about as well.
void expect_like_the_library(const std::string& text) {
  const auto as_fp64 = read_code(text, kFp64);
  const auto as_fp32 = read_code(text, kFp32);
  ASSERT_TRUE(as_fp64 && as_fp32) << text;
  ASSERT_EQ(*as_fp64, code_of(std::strtod(text.c_str(), nullptr))) << text;
  ASSERT_EQ(*as_fp32, code_of(std::strtof(text.c_str(), nullptr))) << text;
}

TEST(ReadCode, HardTextsLikeTheLibrary) {
  const std::vector<std::string> texts{
      "0",
      "-0",
      "0.0",
      "-0e5",
      "1",
      "-1",
      ".5",
      "5.",
      "+2.50",
      "1e0",
      "1E+5",
      "1e-5",
      "0.1",
      "1e-6",
      "1.0000000596046447753906250",                  // a tie of binary32
      "1.00000005960464477539062500000000000000001",  // just above it
      "1.00000005960464477539062499999999999999999",
      "1.00000017881393432617187500",  // a tie that goes up
      "9007199254740993",              // ties of binary64
      "9007199254740993.00000000000000000000000000000001",
      "9007199254740992.99999999999999999999999999999999",
      "2.2250738585072011e-308",  // texts that made parsers loop or round twice
      "2.2250738585072012e-308",
      "2.2250738585072014e-308",
      "2.4703282292062327e-324",
      "2.4703282292062328e-324",
      "4.9406564584124654e-324",
      "7.4109846876186981e-324",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "1e309",
      "1.4012984643248170e-45",
      "7.006492321624085e-46",
      "7.006492321624086e-46",
      "3.4028235677973366e38",
      "3.4028235677973365e38",
      "3.4028234663852886e38",
      "1.17549435e-38",
      "6631236846766476983e-1",
      "6.631236846766476983e18",
      "8.44291197326099e-309",
      "123456789012345678901234567890",
      "0.000000000000000000000000000000000000000000000001",
      "1e23",
      "8.5e22",
      "9e-23",
      "0x1p0",
      "0x1.8p3",
      "0X1.8P+3",
      "-0x.8p1",
      "0x8.p-2",
      "0xff",
      "0x1.000001p0",
      "0x1.0000010000000000000000001p0",
      "0x1.000003p0",
      "0x1p-149",
      "0x1p-150",
      "0x1.00000000000008p0",
      "0x1.000000000000080001p0",
      "0x0p0",
      "0x1p-1074",
      "0x1p-1075",
      "0x1.8p-1075",
      "0x1.fffffffffffff7p1023",
      "0x1.fffffffffffff8p1023",
      "0xAbCdEfp-4",
      "0x123456789abcdef0123456789abcdef.8p-20",
      "0x00000000000000000000000000000000000001p4"};
  for (const std::string& text : texts) {
    expect_like_the_library(text);
    if (text[0] != '-' && text[0] != '+') expect_like_the_library('-' + text);
  }
  EXPECT_EQ(texts.size(), 69U);
}

TEST(ReadCode, RandomTextsLikeTheLibrary) {
  const RandomStream random(1, "texts");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    std::string digits = std::to_string(random.bits(3 * i));
    digits.resize(1 + i % digits.size());
    digits.insert(random.bits(3 * i + 1) % (digits.size() + 1), ".");
    // Exponents around the range of binary64 and, more often, of binary32.
    const int width = i % 4 == 0 ? 700 : 110;
    const int exponent = static_cast<int>(random.bits(3 * i + 2) % static_cast<unsigned>(width));
    expect_like_the_library(digits + "e" + std::to_string(exponent - width / 2));
    ++cases;
  }
  EXPECT_EQ(cases, 20000U);
}

// The shortest digits that read back, and 17 of them, for numbers of every binade.
TEST(ReadCode, PrintedNumbersComeBack) {
  const RandomStream random(1, "printed");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 2047 * 4; ++i) {
    const std::uint64_t bits = (i % 2047) << 52 | random.bits(i) >> 12;
    const Code code{bits, &kFp64};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.17g", std::bit_cast<double>(bits));
    ASSERT_EQ(read_code(text.data(), kFp64), code) << text.data();
    std::snprintf(text.data(), text.size(), "%a", std::bit_cast<double>(bits));
    ASSERT_EQ(read_code(text.data(), kFp64), code) << text.data();
    ++cases;
  }
  EXPECT_EQ(cases, 2047U * 4);
}

// Through binary32 or binary64 first these would be ties; from the text they are not.
TEST(ReadCode, OneRoundingToNarrowFormats) {
  EXPECT_EQ(read_code("1.00390625", kBf16)->bits, 0x3f80U);
  EXPECT_EQ(read_code("1.003906250000000000000000000000000000000001", kBf16)->bits, 0x3f81U);
  EXPECT_EQ(read_code("1.01171875", kBf16)->bits, 0x3f82U);
  EXPECT_EQ(read_code("1.011718749999999999999999999999999999999999", kBf16)->bits, 0x3f81U);
  EXPECT_EQ(read_code("65519.99999999999999999999999999999999999999", kFp16)->bits, 0x7bffU);
  EXPECT_EQ(read_code("65520", kFp16)->bits, 0x7c00U);
  EXPECT_EQ(read_code("464", kFp8E4m3fn)->bits, 0x7eU);
  EXPECT_EQ(read_code("464.0000000000000000000000000000000000001", kFp8E4m3fn)->bits, 0x7fU);
  EXPECT_EQ(read_code("1e-6", kBf16)->bits, 0x3586U);
  EXPECT_EQ(read_code("1e-5", kBf16)->bits, 0x3728U);
  EXPECT_EQ(read_code("1e-6", kFp32)->bits, 0x358637bdU);
  const RoundingRule down{RoundingMode::kTowardZero};
  const RoundingRule up{RoundingMode::kAwayFromZero};
  EXPECT_EQ(read_code("0.1", kFp32, down)->bits, 0x3dccccccU);
  EXPECT_EQ(read_code("0.1", kFp32, up)->bits, 0x3dcccccdU);
  EXPECT_EQ(read_code("-1e-999999999999999999999", kFp16, up)->bits, 0x8001U);
  EXPECT_EQ(read_code("-1e-999999999999999999999", kFp16)->bits, 0x8000U);
  EXPECT_EQ(read_code("1e999999999999999999999", kFp16)->bits, 0x7c00U);
  EXPECT_EQ(read_code("1e18446744073709551616", kFp16)->bits, 0x7c00U);  // 2^64
  EXPECT_EQ(read_code("1e999999999999999999999", kFp16, down)->bits, 0x7bffU);
  EXPECT_EQ(read_code("0e999999999999999999999", kFp16)->bits, 0U);
  EXPECT_EQ(read_code("0x1p99999999999999999999", kFp64)->bits, 0x7ff0000000000000U);
  EXPECT_EQ(read_code("-0x1p-99999999999999999999", kFp64)->bits, 0x8000000000000000U);
}

TEST(ReadCode, Specials) {
  for (const char* text : {"nan", "NaN", "NAN", "+nan", "-nan"}) {
    EXPECT_EQ(read_code(text, kBf16), nan_of(kBf16)) << text;
  }
  for (const char* text : {"inf", "Inf", "INF", "+inf", "infinity", "Infinity", "+INFINITY"}) {
    EXPECT_EQ(read_code(text, kBf16), infinity_of(kBf16, false)) << text;
  }
  EXPECT_EQ(read_code("-inf", kFp16)->bits, 0xfc00U);
  EXPECT_EQ(read_code("-infinity", kFp8E4m3fn)->bits, 0xffU);
  const RoundingRule saturate{RoundingMode::kNearestEven, OverflowRule::kSaturate};
  EXPECT_EQ(read_code("-inf", kFp8E4m3fn, saturate)->bits, 0xfeU);
}

// Far exponents and long runs of digits may undo one another.
TEST(ReadCode, LongTextsAreReadExactly) {
  const std::string zeros(19000, '0');
  EXPECT_EQ(read_code("1" + zeros + "e-19000", kFp32), code_of(1.0F));
  EXPECT_EQ(read_code("0." + zeros + "1e19001", kFp32), code_of(1.0F));
  EXPECT_EQ(read_code("1" + zeros + "1e-19001", kFp32), code_of(1.0F));
  EXPECT_EQ(read_code("1" + zeros + "1e-19001", kFp32, {RoundingMode::kAwayFromZero}),
            next_up(code_of(1.0F)));
  EXPECT_EQ(read_code(zeros + "1.5", kFp32), code_of(1.5F));
  EXPECT_EQ(read_code("0x1" + zeros + "p-76000", kFp32), code_of(1.0F));
  EXPECT_EQ(read_code("0x." + zeros + "8p76001", kFp32), code_of(1.0F));
  EXPECT_EQ(read_code("0x." + zeros + "1p-99999", kFp32)->bits, 0U);
  EXPECT_EQ(read_code("1" + zeros, kFp32), infinity_of(kFp32, false));
  EXPECT_EQ(read_code("-0." + zeros + "1", kFp32), zero_of(kFp32, true));
  // A tie of binary32 with its last digit far away.
  EXPECT_EQ(read_code("1.000000059604644775390625" + zeros + "1", kFp32), next_up(code_of(1.0F)));
  EXPECT_EQ(read_code("1.000000059604644775390625" + zeros, kFp32), code_of(1.0F));
  // Where the answer turns from computed to known in advance nothing changes.
  for (int exponent = 300; exponent < 400; ++exponent) {
    const std::string text = std::to_string(exponent);
    EXPECT_EQ(read_code("1e" + text, kFp64), code_of(std::strtod(("1e" + text).c_str(), nullptr)));
    EXPECT_EQ(read_code("9e-" + text, kFp64),
              code_of(std::strtod(("9e-" + text).c_str(), nullptr)));
    EXPECT_EQ(read_code("9e-" + text, kFp64, {RoundingMode::kAwayFromZero})->bits > 0, true);
  }
  for (int exponent = 1000; exponent < 1200; ++exponent) {
    const std::string text = std::to_string(exponent);
    EXPECT_EQ(read_code("0xfp" + text, kFp64), code_of(std::ldexp(15.0, exponent)));
    EXPECT_EQ(read_code("0xfp-" + text, kFp64), code_of(std::ldexp(15.0, -exponent)));
  }
}

}  // namespace
}  // namespace normcert
