#include "numeric/rounding.hpp"

#include <gtest/gtest.h>

#include "numeric/rounding_suite.hpp"

namespace normcert {
namespace {

Code real_round(const Dyadic& value, const FloatFormat& format, RoundingRule rule) {
  return round(value, format, rule);
}

// zeros: 3 exponents x 2 signs x 6 rules; outside: 38 values x 12; then 16 points x 12 each.
constexpr std::uint64_t cases_of(std::uint64_t intervals) {
  return 3 * 12 + 38 * 12 + intervals * 16 * 12;
}

void expect_accepted(const FloatFormat& format, std::uint64_t intervals) {
  const SuiteOutcome outcome = run_rounding_suite(format, real_round);
  EXPECT_FALSE(outcome.failure) << *outcome.failure;
  EXPECT_EQ(outcome.cases, cases_of(intervals)) << format.name;
}

TEST(Rounding, EveryIntervalOfFp8E4m3fn) { expect_accepted(kFp8E4m3fn, 127); }
TEST(Rounding, EveryIntervalOfFp8E5m2) { expect_accepted(kFp8E5m2, 124); }
TEST(Rounding, EveryIntervalOfFp16) { expect_accepted(kFp16, 31744); }
TEST(Rounding, EveryIntervalOfBf16) { expect_accepted(kBf16, 32640); }
TEST(Rounding, DirectedIntervalsOfTf32) { expect_accepted(kTf32, 255 * 8 + 2000); }
TEST(Rounding, DirectedIntervalsOfFp32) { expect_accepted(kFp32, 255 * 8 + 2000); }
TEST(Rounding, DirectedIntervalsOfFp64) { expect_accepted(kFp64, 2047 * 8 + 2000); }

// Facts that can be checked on paper, as an anchor for the suite itself.
TEST(Rounding, HandChecked) {
  const auto nearest = [](double value, const FloatFormat& format) {
    return round(dyadic_of(value), format).bits;
  };
  EXPECT_EQ(nearest(1.0, kFp16), 0x3c00U);
  EXPECT_EQ(nearest(65504.0, kFp16), 0x7bffU);
  EXPECT_EQ(nearest(65519.99, kFp16), 0x7bffU);
  EXPECT_EQ(nearest(65520.0, kFp16), 0x7c00U);
  EXPECT_EQ(nearest(-0x1p-25, kFp16), 0x8000U);
  EXPECT_EQ(nearest(0x1.8p-25, kFp16), 0x0001U);
  EXPECT_EQ(nearest(0x1.ff8p-15, kFp16), 0x03ffU);
  EXPECT_EQ(nearest(0x1.ffcp-15, kFp16), 0x0400U);  // the last tie below the normal numbers
  EXPECT_EQ(nearest(1 + 0x1p-8, kBf16), 0x3f80U);
  EXPECT_EQ(nearest(1 + 0x3p-8, kBf16), 0x3f82U);
  EXPECT_EQ(nearest(0x1.ff8p127, kBf16), 0x7f80U);
  EXPECT_EQ(nearest(448.0, kFp8E4m3fn), 0x7eU);
  EXPECT_EQ(nearest(464.0, kFp8E4m3fn), 0x7eU);
  EXPECT_EQ(nearest(464.0 + 0x1p-43, kFp8E4m3fn), 0x7fU);
  EXPECT_EQ(nearest(-1e9, kFp8E4m3fn), 0xffU);
  EXPECT_EQ(nearest(0x1p-10, kFp8E4m3fn), 0x00U);
  EXPECT_EQ(nearest(61440.0, kFp8E5m2), 0x7cU);
  EXPECT_EQ(nearest(61439.0, kFp8E5m2), 0x7bU);
  EXPECT_EQ(nearest(0.1, kFp32), 0x3dcccccdU);
  EXPECT_EQ(nearest(1 + 0x1p-11, kTf32), 0x1fc00U);
}

}  // namespace
}  // namespace normcert
