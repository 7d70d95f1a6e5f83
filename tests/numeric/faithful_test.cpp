// is_faithful, is_representable and ulp_exponent, against what follows from the place of a value
// between two numbers of a format.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "numeric/hand_layout.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::array<OverflowRule, 2> kOverflowRules{OverflowRule::kFormat,
                                                     OverflowRule::kSaturate};

// What lies `eighths` of the way from number `lower` to the next magnitude.
struct Place {
  std::uint64_t lower;
  int eighths;
};

Dyadic value_at(const HandLayout& layout, Place place) {
  const HandValue start = hand_decode(layout, place.lower);
  return {false, (Uint128{start.significand} << 3) + static_cast<unsigned>(place.eighths),
          start.exponent - 3};
}

bool expect_faithful(const HandLayout& layout, std::uint64_t got, bool negative, Place place,
                     OverflowRule rule) {
  const std::uint64_t magnitude = got % layout.sign();
  const bool sign_fits = (got >= layout.sign()) == negative;
  const std::uint64_t upper = place.lower + (place.eighths == 0 ? 0 : 1);
  if (upper <= layout.greatest_finite) {
    const bool encloses = magnitude == place.lower || magnitude == upper;
    return encloses && (sign_fits || magnitude == 0);
  }
  const bool is_greatest = magnitude == layout.greatest_finite && sign_fits;
  if (rule == OverflowRule::kSaturate) return is_greatest;
  const bool is_overflow =
      magnitude == layout.overflow && (sign_fits || !layout.format->has_infinity());
  const bool tie_goes_up = layout.greatest_finite % 2 == 1;
  const bool nearest_is_greatest = place.eighths < 4 || (place.eighths == 4 && !tie_goes_up);
  return is_overflow || (is_greatest && nearest_is_greatest);
}

// NaN codes of an IEEE 754 format are never faithful to a number.
TEST(Faithful, EveryCodeForEveryPlaceIn8Bits) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : {&kFp8E4m3fn, &kFp8E5m2}) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t lower = 0; lower <= layout.greatest_finite; ++lower) {
      for (const int eighths : {0, 1, 3, 4, 5, 7}) {
        const LeadingBits value = leading_bits(value_at(layout, {lower, eighths}));
        for (std::uint64_t got = 0; got < 256; ++got) {
          for (const OverflowRule rule : kOverflowRules) {
            for (const bool negative : {false, true}) {
              const bool expected = expect_faithful(layout, got, negative, {lower, eighths}, rule);
              ASSERT_EQ(is_faithful({got, format}, negative, value, rule), expected)
                  << format->name << " lower " << lower << " + " << eighths << "/8, got " << got
                  << " negative " << negative << " rule " << static_cast<int>(rule);
              ++cases;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, (127U + 124) * 6 * 256 * 4);
}

TEST(Faithful, NeighboursIn16Bits) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : {&kFp16, &kBf16}) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t lower = 2; lower < layout.greatest_finite; ++lower) {
      for (const int eighths : {0, 1, 4, 7}) {
        const Place place{lower, eighths};
        const LeadingBits value = leading_bits(value_at(layout, place));
        for (std::uint64_t got = lower - 2; got <= lower + 2; ++got) {
          ASSERT_EQ(is_faithful({got, format}, false, value),
                    expect_faithful(layout, got, false, place, OverflowRule::kFormat));
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, (31743U + 32639 - 4) * 4 * 5);
}

TEST(Faithful, ZeroAndUnderflow) {
  const LeadingBits zero{};
  const LeadingBits tiny = leading_bits(Dyadic{false, 1, -5000});
  for (const FloatFormat* format : all_formats()) {
    for (const bool negative : {false, true}) {
      EXPECT_TRUE(is_faithful(zero_of(*format, negative), false, zero));
      EXPECT_FALSE(is_faithful({1, format}, false, zero));
      EXPECT_TRUE(is_faithful(zero_of(*format, negative), true, tiny));
    }
    EXPECT_TRUE(is_faithful({1, format}, false, tiny));
    EXPECT_FALSE(is_faithful({1, format}, true, tiny)) << "the wrong sign";
    EXPECT_FALSE(is_faithful({2, format}, false, tiny));
    EXPECT_FALSE(is_faithful(nan_of(*format), false, tiny));
  }
}

TEST(Representable, EveryPlaceOfTheSmallFormats) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t lower = 0; lower <= layout.greatest_finite; ++lower) {
      for (int eighths = 0; eighths <= 8; ++eighths) {
        const bool expected = eighths == 0 || (eighths == 8 && lower < layout.greatest_finite);
        ASSERT_EQ(is_representable(leading_bits(value_at(layout, {lower, eighths})), *format),
                  expected)
            << format->name << " " << lower << " " << eighths;
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, (127U + 124 + 31744 + 32640) * 9);
  // A bit behind the 64 leading ones counts too.
  EXPECT_FALSE(is_representable(leading_bits(Dyadic{false, (Uint128{1} << 100) + 1, -100}), kFp64));
  EXPECT_TRUE(is_representable(leading_bits(Dyadic{false, Uint128{1} << 100, -100}), kFp64));
  for (const int exponent : {1024, 5000, 100000}) {
    EXPECT_FALSE(is_representable(leading_bits(Dyadic{false, 1, exponent}), kFp64));
    EXPECT_FALSE(is_representable(leading_bits(Dyadic{false, 1, -exponent - 51}), kFp64));
  }
}

// The distance between the neighbours that enclose the value, also beyond the greatest number.
TEST(Ulp, EveryPlaceOfTheSmallFormats) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    const HandLayout& layout = hand_layout(*format);
    for (std::uint64_t lower = 0; lower <= layout.greatest_finite; ++lower) {
      for (int eighths = 0; eighths < 8; ++eighths) {
        ASSERT_EQ(ulp_exponent(leading_bits(value_at(layout, {lower, eighths})), *format),
                  hand_decode(layout, lower).exponent);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, (127U + 124 + 31744 + 32640) * 8);
  EXPECT_EQ(ulp_exponent({}, kFp16), -24);
  EXPECT_EQ(ulp_exponent(leading_bits(Dyadic{false, 1, -100}), kFp16), -24);
  EXPECT_EQ(ulp_exponent(leading_bits(Dyadic{false, 1, 100}), kFp16), 90);
  EXPECT_EQ(ulp_exponent(leading_bits(Dyadic{false, 1, 0}), kFp64), -52);
}

}  // namespace
}  // namespace normcert
