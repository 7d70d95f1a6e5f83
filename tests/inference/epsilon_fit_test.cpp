// From intervals of scalars to epsilon, on rows whose numbers can be followed by hand.
#include "inference/epsilon_fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/random.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kEnough = 0x1p22;

FitRow exactly(double scalar, double q, double max_magnitude = 1) {
  return {scalar, scalar, q, max_magnitude};
}

TEST(EpsilonFit, TheScalarOfEachPlacement) {
  const std::vector<FitRow> rows = {exactly(1, 4, 2)};
  const auto scalar = [&](EpsilonForm form, double epsilon) {
    return EpsilonFit(rows, form, 0).scalar(rows[0], epsilon);
  };
  EXPECT_EQ(scalar(EpsilonForm::kInside, 12), 0.25);
  EXPECT_EQ(scalar(EpsilonForm::kOutside, 6), 0.125);
  EXPECT_EQ(scalar(EpsilonForm::kAfterRsqrt, 6), 6.5);
  EXPECT_EQ(scalar(EpsilonForm::kClampQ, 16), 0.25);
  EXPECT_EQ(scalar(EpsilonForm::kClampQ, 1), 0.5);
  EXPECT_EQ(scalar(EpsilonForm::kScaledByMax, 3), 0.25);
  EXPECT_EQ(scalar(EpsilonForm::kNone, 12), 0.5);
  EXPECT_EQ(scalar(EpsilonForm::kTimesRms, 5), 3);
  EXPECT_EQ(scalar(EpsilonForm::kIdentity, 5), 1);
}

// Every placement finds the epsilon of two rows that it made.
TEST(EpsilonFit, OneEpsilonFitsWhatItMade) {
  constexpr std::array kForms = {EpsilonForm::kInside,      EpsilonForm::kOutside,
                                 EpsilonForm::kAfterRsqrt,  EpsilonForm::kClampQ,
                                 EpsilonForm::kScaledByMax, EpsilonForm::kTimesRms};
  for (const EpsilonForm form : kForms) {
    SCOPED_TRACE(static_cast<int>(form));
    std::vector<FitRow> rows = {exactly(0, 1, 2), exactly(0, 0.25, 1)};
    for (FitRow& row : rows) row.low = row.high = EpsilonFit(rows, form, 0).scalar(row, 0.5);
    const EpsilonFit fit(rows, form, 0);
    EXPECT_EQ(fit.slack_of(0.5, nullptr), 0);
    const LeastSlack least = fit.least_slack(kEnough);
    EXPECT_LT(least.slack, 1e-6);
    EXPECT_NEAR(least.epsilon, 0.5, 1e-12);
    const EpsilonRange range = fit.range(0).range;
    EXPECT_TRUE(range.contains(0.5));
    EXPECT_LT(range.high - range.low, 1e-12);
  }
}

// q = 3 and r = 1/2 ask for 1. q = 15 and r = (1 + d)/4 ask for less: where epsilon falls by 8 t,
// the first scalar grows by t and the second by t/4, so that d - t/4 = t has to be granted.
TEST(EpsilonFit, LeastSlackOfTwoRowsThatDisagree) {
  const double d = 0x1p-14;
  const std::vector<FitRow> rows = {exactly(0.5, 3), exactly(0.25 * (1 + d), 15)};
  const EpsilonFit fit(rows, EpsilonForm::kInside, 0);
  const LeastSlack least = fit.least_slack(kEnough);
  EXPECT_NEAR(least.slack, 0.8 * d / kUnit, 0.1);
  EXPECT_NEAR(least.epsilon, 1 - 8 * 0.8 * d, 1e-7);
  EXPECT_TRUE(fit.range(least.slack - 1).range.empty());
  EXPECT_FALSE(fit.range(least.slack + 1).range.empty());
  std::size_t row = 7;
  EXPECT_NEAR(fit.slack_of(1, &row), d / kUnit, 0.1);
  EXPECT_EQ(row, 1U);
}

// 1/r^2 - q: from 4 / (1 + 2^-10)^2 - 3 up to 1, and from 1 up.
TEST(EpsilonFit, RangeNamesTheRowsOfItsEnds) {
  const std::vector<FitRow> rows = {{0.5, 0.5 * (1 + 0x1p-10), 3, 1},
                                    {0.25 * (1 - 0x1p-12), 0.25, 15, 1}};
  const RangeOfRows found = EpsilonFit(rows, EpsilonForm::kInside, 0).range(0);
  EXPECT_NEAR(found.range.low, 1, 1e-12);
  EXPECT_NEAR(found.range.high, 1, 1e-12);
  EXPECT_LE(found.range.low, 1);
  EXPECT_GE(found.range.high, 1);
  EXPECT_EQ(found.low_row, 1U);
  EXPECT_EQ(found.high_row, 0U);
}

TEST(EpsilonFit, AClampIsSeenBelowItAlone) {
  const std::vector<FitRow> rows = {exactly(0.5, 4), exactly(std::sqrt(0.5), 1)};
  const EpsilonRange range = EpsilonFit(rows, EpsilonForm::kClampQ, 0).range(0).range;
  EXPECT_NEAR(range.low, 2, 1e-12);
  EXPECT_NEAR(range.high, 2, 1e-12);
  const std::vector<FitRow> above = {exactly(0.5, 4)};
  const EpsilonRange open = EpsilonFit(above, EpsilonForm::kClampQ, 0).range(0).range;
  EXPECT_EQ(open.low, 0);
  EXPECT_NEAR(open.high, 4, 1e-12);
}

TEST(EpsilonFit, WithoutEpsilonARowFitsOrNeedsSlack) {
  const std::vector<FitRow> rows = {exactly(0.5 * (1 + 0x1p-10), 4)};
  const EpsilonFit fit(rows, EpsilonForm::kNone, 0);
  // r = 1/2 has to grow by 2^-10 of itself.
  EXPECT_NEAR(fit.least_slack(kEnough).slack, 0x1p14, 0.01);
  EXPECT_TRUE(fit.range(0x1p13).range.empty());
  EXPECT_EQ(fit.range(0x1p15).range.high, std::numeric_limits<double>::infinity());
}

TEST(EpsilonFit, NothingSuffices) {
  const std::vector<FitRow> rows = {exactly(8, 4)};  // 1/2 would have to be 8
  const EpsilonFit fit(rows, EpsilonForm::kNone, 0);
  EXPECT_EQ(fit.least_slack(kEnough).slack, std::numeric_limits<double>::infinity());
}

// On random rows no epsilon of a fine grid needs less than the least, and one needs hardly more.
TEST(EpsilonFit, LeastSlackIsTheLeastOfAGrid) {
  constexpr std::size_t kTrials = 40;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    SCOPED_TRACE(trial);
    const RandomStream random(trial, "epsilon fit");
    const auto form = trial % 2 == 0 ? EpsilonForm::kInside : EpsilonForm::kOutside;
    std::vector<FitRow> rows;
    for (std::size_t i = 0; i < 6; ++i) {
      FitRow row{0, 0, std::exp2(6 * random.uniform(3 * i) - 4), 1};
      const double r = EpsilonFit(rows, form, 0).scalar(row, 0.1);
      row.low = r * (1 + 1e-4 * (random.uniform(3 * i + 1) - 0.5));
      row.high = row.low * (1 + 1e-5 * random.uniform(3 * i + 2));
      rows.push_back(row);
    }
    const EpsilonFit fit(rows, form, 0);
    const LeastSlack least = fit.least_slack(kEnough);
    double on_grid = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 20000; ++i) {
      on_grid = std::min(on_grid, fit.slack_of(0.0999 + 1e-8 * i, nullptr));
    }
    EXPECT_LE(least.slack, on_grid + 1e-3);
    EXPECT_NEAR(least.slack, on_grid, 2);
  }
}

}  // namespace
}  // namespace normcert
