#include "numeric/float_format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cfloat>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "numeric/code.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

// Field widths and biases of the specifications, written out a second time.
static_assert(kFp64.exponent_bits() == 11 && kFp64.fraction_bits() == 52 && kFp64.bias() == 1023);
static_assert(kFp32.exponent_bits() == 8 && kFp32.fraction_bits() == 23 && kFp32.bias() == 127);
static_assert(kTf32.exponent_bits() == 8 && kTf32.fraction_bits() == 10 && kTf32.bias() == 127);
static_assert(kBf16.exponent_bits() == 8 && kBf16.fraction_bits() == 7 && kBf16.bias() == 127);
static_assert(kFp16.exponent_bits() == 5 && kFp16.fraction_bits() == 10 && kFp16.bias() == 15);
static_assert(kFp8E4m3fn.exponent_bits() == 4 && kFp8E4m3fn.fraction_bits() == 3);
static_assert(kFp8E4m3fn.bias() == 7 && kFp8E4m3fn.emax == 8);
static_assert(kFp8E5m2.exponent_bits() == 5 && kFp8E5m2.fraction_bits() == 2);
static_assert(kFp8E5m2.bias() == 15 && kFp8E5m2.emax == 15);

static_assert(kFp64.sign_mask() == 0x8000000000000000);
static_assert(kFp64.magnitude_mask() == 0x7fffffffffffffff);
static_assert(kFp64.max_finite_magnitude() == 0x7fefffffffffffff);
static_assert(kFp64.nan_magnitude() == 0x7ff8000000000000);
static_assert(kFp32.infinity_magnitude() == 0x7f800000 && kFp32.nan_magnitude() == 0x7fc00000);
static_assert(kTf32.infinity_magnitude() == 0x3fc00 && kTf32.nan_magnitude() == 0x3fe00);
static_assert(kBf16.infinity_magnitude() == 0x7f80 && kBf16.nan_magnitude() == 0x7fc0);
static_assert(kFp16.infinity_magnitude() == 0x7c00 && kFp16.nan_magnitude() == 0x7e00);
static_assert(kFp8E5m2.infinity_magnitude() == 0x7c && kFp8E5m2.nan_magnitude() == 0x7e);
static_assert(kFp8E4m3fn.max_finite_magnitude() == 0x7e && kFp8E4m3fn.nan_magnitude() == 0x7f);
static_assert(!kFp8E4m3fn.has_infinity() && kFp8E5m2.has_infinity());

static_assert(kFp64.storage_bytes == 8 && kFp32.storage_bytes == 4 && kTf32.storage_bytes == 4);
static_assert(kBf16.storage_bytes == 2 && kFp16.storage_bytes == 2);
static_assert(kFp8E4m3fn.storage_bytes == 1 && kFp8E5m2.storage_bytes == 1);

// binary32 holds an exact product of two bf16 or fp16 numbers, and 24 >= 2 p + 2 makes +, -, x, /
// and sqrt in binary32 followed by one more rounding equal to a single rounding.
static_assert(kFp32.precision >= 2 * kFp16.precision + 2);
static_assert(kFp32.precision >= 2 * kBf16.precision + 2);

struct Facts {
  const FloatFormat* format;
  double greatest;
  double least_normal;
  double least;
  double epsilon;  // machine epsilon: the distance from 1 to the next number
};

TEST(FloatFormat, GreatestAndLeastNumbers) {
  const std::array<Facts, 7> facts{{
      {&kFp64, DBL_MAX, DBL_MIN, std::numeric_limits<double>::denorm_min(), DBL_EPSILON},
      {&kFp32, FLT_MAX, FLT_MIN, std::numeric_limits<float>::denorm_min(), FLT_EPSILON},
      {&kTf32, 0x1.ffcp127, 0x1p-126, 0x1p-136, 0x1p-10},
      {&kBf16, 0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7},
      {&kFp16, 65504, 0x1p-14, 0x1p-24, 0x1p-10},
      {&kFp8E4m3fn, 448, 0x1p-6, 0x1p-9, 0x1p-3},
      {&kFp8E5m2, 57344, 0x1p-14, 0x1p-16, 0x1p-2},
  }};
  ASSERT_EQ(facts.size(), all_formats().size());
  for (const Facts& fact : facts) {
    const FloatFormat& format = *fact.format;
    SCOPED_TRACE(std::string(format.name));
    EXPECT_EQ(to_binary64(max_finite_of(format, false)), fact.greatest);
    EXPECT_EQ(to_binary64(max_finite_of(format, true)), -fact.greatest);
    const Code least_normal{std::uint64_t{1} << format.fraction_bits(), &format};
    EXPECT_EQ(to_binary64(least_normal), fact.least_normal);
    EXPECT_EQ(classify(least_normal), FloatClass::kNormal);
    EXPECT_EQ(classify(next_down(least_normal)), FloatClass::kSubnormal);
    EXPECT_EQ(to_binary64({1, &format}), fact.least);
    const Code one{static_cast<std::uint64_t>(format.bias()) << format.fraction_bits(), &format};
    EXPECT_EQ(to_binary64(one), 1.0);
    EXPECT_EQ(to_binary64(next_up(one)) - 1.0, fact.epsilon);
  }
}

// Figures that write-ups quote.
TEST(FloatFormat, QuotedFigures) {
  EXPECT_NEAR(to_binary64({0x0400, &kFp16}), 6.1e-5, 0.05e-5);    // least normal fp16
  EXPECT_NEAR(to_binary64({0x0001, &kFp16}), 5.96e-8, 0.005e-8);  // least fp16
  EXPECT_NEAR(to_binary64({0x0080, &kBf16}), 1.175e-38, 0.001e-38);
  EXPECT_NEAR(to_binary64({0x7f7f, &kBf16}), 3.39e38, 0.005e38);
  // 1e-8 underflows to zero in fp16, 1e-6 is a subnormal 1.3 % off, 1e-5 one 0.1 % off.
  EXPECT_EQ(convert(code_of(1e-8), kFp16).bits, 0U);
  EXPECT_EQ(convert(code_of(1e-6), kFp16).bits, 17U);
  EXPECT_EQ(convert(code_of(1e-5), kFp16).bits, 168U);
}

TEST(FloatFormat, FoundByItsExactName) {
  std::set<std::string_view> names;
  int previous_bits = 64;
  for (const FloatFormat* format : all_formats()) {
    EXPECT_EQ(find_format(format->name), format);
    names.insert(format->name);
    EXPECT_LE(format->code_bits, previous_bits) << "widest first";
    previous_bits = format->code_bits;
  }
  EXPECT_EQ(names.size(), 7U);
  for (const std::string_view wrong : {"", "FP16", "fp16 ", "float16", "fp", "fp8", "bf16x"}) {
    EXPECT_EQ(find_format(wrong), nullptr) << wrong;
  }
  EXPECT_TRUE(kFp16 == *find_format("fp16"));
  EXPECT_FALSE(kFp16 == kBf16);
}

TEST(NearestName, SuggestsWhatWasMeant) {
  std::vector<std::string_view> names;
  for (const FloatFormat* format : all_formats()) names.push_back(format->name);
  EXPECT_EQ(nearest_name("bf16", names), "bf16");
  EXPECT_EQ(nearest_name("bf61", names), "bf16");
  EXPECT_EQ(nearest_name("b16", names), "bf16");
  EXPECT_EQ(nearest_name("fp8_e4m3", names), "fp8_e4m3fn");
  EXPECT_EQ(nearest_name("fp8_e5m", names), "fp8_e5m2");
  EXPECT_EQ(nearest_name("fp3", names), "fp32");
  EXPECT_EQ(nearest_name("fp48", names), "fp64") << "the first among equally near ones";
}

TEST(NearestName, EmptyWhereNothingIsNear) {
  const std::array<std::string_view, 3> names{"epsilon", "weight", "x"};
  EXPECT_EQ(nearest_name("quaternion", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("y", names), "");
  EXPECT_EQ(nearest_name("eps", names), "") << "four of seven letters would change";
  EXPECT_EQ(nearest_name("epsil", names), "epsilon");
  EXPECT_EQ(nearest_name("weights", names), "weight");
  EXPECT_EQ(nearest_name("weight", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'e'), names), "");
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  const std::array<std::string_view, 2> long_names{longest, longer};
  EXPECT_EQ(nearest_name(longest, long_names), longest);
  EXPECT_EQ(nearest_name(longer, long_names), "") << "nothing that long is a misspelt name";
}

}  // namespace
}  // namespace normcert
