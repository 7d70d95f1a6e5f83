// Statistics that are rounded to bf16 on the way, where the numbers beside 1 are 1 + 2^-7 and
// 1 - 2^-8.
#include "inference/narrow_chain.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace normcert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NarrowSteps kAllSteps = {.mean = true, .epsilon = true, .sum = true, .scalar = true};

FitRow exactly(double scalar, double q) { return {scalar, scalar, q, 1}; }

// 1 + e rounds to 1 up to the tie e = 2^-8, and e rounds to 2^-8 up to 2^-8 (1 + 2^-8).
TEST(NarrowChain, EpsilonsThatAreLostInTheSum) {
  const std::vector<FitRow> rows = {exactly(1, 1)};
  const NarrowChain chain(rows, kAllSteps, kBf16, 0);
  const EpsilonRange range = chain.range(0).range;
  EXPECT_EQ(range.low, 0);
  EXPECT_NEAR(range.high, 0x1p-8 * (1 + 0x1p-8), 1e-12);
  EXPECT_EQ(chain.slack_of(0x1p-8, nullptr), 0);
  EXPECT_EQ(chain.least_slack(1000).slack, 0);
}

// 1/sqrt(1 + 2^-7) = 0.99612 rounds to 1 - 2^-8. The sum is 1 + 2^-7 from the tie 1 + 2^-8 (what
// was rounded in binary32 before may fall on either side of it) to the tie 1 + 1.5 2^-7, and e
// rounds to those from half a unit around them.
TEST(NarrowChain, EpsilonsOfOneCode) {
  const std::vector<FitRow> rows = {exactly(1 - 0x1p-8, 1)};
  const NarrowChain chain(rows, kAllSteps, kBf16, 0);
  const EpsilonRange range = chain.range(0).range;
  EXPECT_NEAR(range.low, 0x1p-8 - 0x1p-17, 1e-12);
  EXPECT_NEAR(range.high, 1.5 * 0x1p-7 + 0x1p-15, 1e-12);
}

// Where epsilon is not rounded the ends are the ties themselves, but for half a unit of binary32.
TEST(NarrowChain, AnEpsilonOfBinary32) {
  const NarrowSteps steps = {.mean = true, .sum = true, .scalar = true};
  const std::vector<FitRow> rows = {exactly(1 - 0x1p-8, 1)};
  const EpsilonRange range = NarrowChain(rows, steps, kBf16, 0).range(0).range;
  EXPECT_NEAR(range.low, 0x1p-8, 1e-7);
  EXPECT_NEAR(range.high, 1.5 * 0x1p-7, 1e-7);
  EXPECT_LT(range.low, 0x1p-8);
  EXPECT_GT(range.high, 1.5 * 0x1p-7);
}

// q lies 2^-12 above the tie 1 + 2^-8 below which it rounds to 1; the sum's freedom is twice the
// scalar's: 2^-12 / (2 q) is 2039.6 units of 2^-24.
TEST(NarrowChain, SlackIsCountedBeforeTheFirstRounding) {
  const std::vector<FitRow> rows = {exactly(1, 1), exactly(1, 1 + 0x1p-8 + 0x1p-12)};
  const NarrowChain chain(rows, kAllSteps, kBf16, 0);
  std::size_t row = 7;
  EXPECT_NEAR(chain.slack_of(0, &row), 2039.55, 0.1);
  EXPECT_EQ(row, 1U);
  const LeastSlack least = chain.least_slack(0x1p17);
  EXPECT_NEAR(least.slack, 2039.55, 3);
  EXPECT_TRUE(chain.range(2030).range.empty());
  EXPECT_FALSE(chain.range(2050).range.empty());
}

TEST(NarrowChain, ARowWithoutANumberOfTheFormat) {
  const std::vector<FitRow> rows = {exactly(1, 1), {1.001, 1.002, 1, 1}};
  const NarrowChain chain(rows, kAllSteps, kBf16, 0);
  EXPECT_EQ(chain.impossible_row(), 1U);
  EXPECT_EQ(chain.least_slack(1000).slack, kInfinity);
  // 1/1.002 .. 1/1.001 holds none either, but 1/1.01 .. 1 has 1 as an rms.
  NarrowSteps divides = kAllSteps;
  divides.divides = true;
  EXPECT_EQ(NarrowChain(rows, divides, kBf16, 0).impossible_row(), 1U);
  const std::vector<FitRow> wide = {{1 / 1.01, 1, 1, 1}};
  const NarrowChain rms(wide, divides, kBf16, 0);
  EXPECT_EQ(rms.impossible_row(), 1U);
  EXPECT_EQ(rms.slack_of(0, nullptr), 0);
  EXPECT_GT(rms.slack_of(1, nullptr), 0x1p17);
}

// sqrt(1.5) = 1.22474 rounds to 1.2265625, whose reciprocal is 0.81529 and rounds to 0.81640625;
// without the first rounding 1/sqrt(1.5) = 0.81650 rounds to the same: only a root of 1.5 + 2^-6
// tells them apart. 1/1.2265625 = 0.815287 lies between 0.8125 and 0.81640625, nearer to the
// latter.
TEST(NarrowChain, TheRootMayBeRoundedBeforeTheReciprocal) {
  NarrowSteps rounded = kAllSteps;
  rounded.root = true;
  rounded.scalar = false;
  NarrowSteps unrounded = rounded;
  unrounded.root = false;
  const std::vector<FitRow> rows = {exactly(1 / 1.2265625, 1.5)};
  EXPECT_EQ(NarrowChain(rows, rounded, kBf16, 0).slack_of(0, nullptr), 0);
  // 1.2265625 / sqrt(1.5) - 1 is 0.00148 of r; but q rounds to 1.5 within half a unit, 2^-8 / 1.5
  // of itself, so the freedom must bring it across.
  EXPECT_GT(NarrowChain(rows, unrounded, kBf16, 0).slack_of(0, nullptr), 0.0013 * 0x1p24);
}

// 2^-25 is the tie between 0 and the least number of binary16, whose scalars are infinite and 4096:
// rows between them have neither, although each lies within.
TEST(NarrowChain, NothingLiesBetweenTheTwoNumbersOfATie) {
  const auto rows_of = [](double r) {
    return std::vector<FitRow>{{r * (1 - 1e-4), r * (1 + 1e-4), 8.4e-9, 1},
                               {1.04 * r * (1 - 1e-4), 1.04 * r * (1 + 1e-4), 7.7e-9, 1}};
  };
  for (const NarrowSteps& steps :
       {NarrowSteps{.mean = true, .epsilon = true}, NarrowSteps{.mean = true, .sum = true}}) {
    EXPECT_TRUE(NarrowChain(rows_of(10327), steps, kFp16, 0).range(17).range.empty());
    // Both rows at 4096, as they are where the sum is the least number.
    const std::vector<FitRow> least = {{4095, 4097, 8.4e-9, 1}, {4095, 4097, 7.7e-9, 1}};
    const EpsilonRange range = NarrowChain(least, steps, kFp16, 0).range(17).range;
    EXPECT_FALSE(range.empty());
    EXPECT_NEAR(range.low / 0x1p-25, 1, 1e-6);
    EXPECT_NEAR(range.high / 0x1.8p-24, 1, 1e-6);
  }
}

}  // namespace
}  // namespace normcert
