// Statistic, epsilon and root of a recipe on rows whose results are known by hand: sums of squares
// that make perfect squares, epsilons that make them again.
#include <gtest/gtest.h>

#include <cmath>

#include "emulation/small_rows.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

Recipe with_kind(StatisticKind kind) {
  Recipe recipe;
  recipe.statistic.kind = kind;
  recipe.epsilon.position = EpsilonPosition::kNone;
  return recipe;
}

TEST(Statistic, Kinds) {
  const SmallRow row{.x = {1, 7, -5, 5}};  // squares sum to 100
  EXPECT_EQ(rms_of(with_kind(StatisticKind::kMeanSquare), row), 5);
  EXPECT_EQ(rms_of(with_kind(StatisticKind::kSumSquare), row), 10);
  EXPECT_EQ(rms_of(with_kind(StatisticKind::kMeanSquareNMinus1), {.x = {3, -4}}), 5);
  Recipe partial = with_kind(StatisticKind::kPartial);
  partial.statistic.fraction = 0.6;  // 2.4 of four elements are two
  EXPECT_EQ(rms_of(partial, {.x = {3, -3, 100, 100}}), 3);
}

TEST(Statistic, VarianceSubtractsTheMeanFromTheNumeratorToo) {
  const SmallResult result =
      emulate_small(with_kind(StatisticKind::kVariance), {.x = {12, 8, 12, 8}});
  EXPECT_EQ(result.scalars, std::vector<double>{0.5});
  EXPECT_EQ(result.y, (std::vector<double>{1, -1, 1, -1}));
}

TEST(Statistic, GroupsAreRowsOfTheirOwn) {
  Recipe recipe = with_kind(StatisticKind::kMeanSquare);
  recipe.statistic.group = 2;
  const SmallResult result = emulate_small(recipe, {.x = {4, 4, -8, 8}, .weight = {1, 2, 3, 4}});
  EXPECT_EQ(result.scalars, (std::vector<double>{0.25, 0.125}));
  EXPECT_EQ(result.y, (std::vector<double>{1, 2, -3, 4}));
}

TEST(Statistic, RefusesWidthsThatGroupsOrFractionsDoNotFit) {
  Recipe recipe = with_kind(StatisticKind::kMeanSquare);
  recipe.name = "mine";
  recipe.statistic.group = 3;
  try {
    (void)emulate_small(recipe, {.x = {1, 2, 3, 4}});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "recipe mine: statistic.group: found 3, expected a value that fits rows of 4 "
                 "elements");
  }
  Recipe partial = with_kind(StatisticKind::kPartial);
  partial.statistic.fraction = 0.25;
  EXPECT_THROW((void)emulate_small(partial, {.x = {1, 2, 3}}), InputError);
  EXPECT_NO_THROW((void)emulate_small(partial, {.x = {1, 2, 3, 4}}));
}

// 4096^2 is 2^24, to which binary32 cannot add a 1.
TEST(Statistic, Accumulation) {
  const SmallRow row{.x = {4096, 1, 1, 1}};
  const auto sum_of_squares = [&row](Accumulation accumulate, StepFormat square) {
    Recipe recipe = with_kind(StatisticKind::kSumSquare);
    recipe.compute = ComputeFormat::kBinary64;
    recipe.statistic.accumulate = accumulate;
    recipe.statistic.square = square;
    if (accumulate != Accumulation::kExact) {
      recipe.statistic.order.kind = OrderKind::kSequential;
    }
    const double rms = rms_of(recipe, row);
    return rms * rms;
  };
  EXPECT_NEAR(sum_of_squares(Accumulation::kBinary64, StepFormat::kBinary64), 0x1p24 + 3, 1e-6);
  // fp32 means the compute format where that is wider; T is binary32 here.
  EXPECT_NEAR(sum_of_squares(Accumulation::kBinary32, StepFormat::kBinary32), 0x1p24 + 3, 1e-6);
  EXPECT_NEAR(sum_of_squares(Accumulation::kInput, StepFormat::kInput), 0x1p24, 1e-6);
}

double sum_in_binary32(Accumulation accumulate, const SmallRow& row) {
  Recipe recipe = with_kind(StatisticKind::kSumSquare);
  recipe.statistic.accumulate = accumulate;
  if (accumulate != Accumulation::kExact) recipe.statistic.order.kind = OrderKind::kSequential;
  // Dividing by the greatest element brings the sum near 1, where its root still shows an ulp.
  recipe.epsilon.position = EpsilonPosition::kScaledByMax;
  return rms_of(recipe, row);
}

// Scaled by the greatest element 2^12 the squares are 1 and ones of 2^-24: half an ulp below 1's
// neighbour each, lost one by one, but not together.
TEST(Statistic, CompensationAndExactSums) {
  std::vector<double> x(9, 1.0);
  x[0] = 4096;
  const SmallRow row{.x = x};
  const double plain = sum_in_binary32(Accumulation::kBinary32, row);
  const double kahan = sum_in_binary32(Accumulation::kKahan, row);
  const double exact = sum_in_binary32(Accumulation::kExact, row);
  EXPECT_EQ(plain, 4096);
  EXPECT_EQ(exact, 4096 * static_cast<double>(std::sqrt(1 + 0x1p-21F)));
  EXPECT_EQ(kahan, exact);
  EXPECT_NE(kahan, plain);
}

TEST(Statistic, AccumulationInTheInputsFormatOverflows) {
  Recipe recipe = with_kind(StatisticKind::kMeanSquare);
  const SmallRow row{.x = {200, 200}, .format = &kFp16};  // 40000 twice
  EXPECT_EQ(rms_of(recipe, row), 200);
  recipe.statistic.square = StepFormat::kInput;
  recipe.statistic.accumulate = Accumulation::kInput;
  EXPECT_EQ(rms_of(recipe, row), INFINITY);
}

TEST(Statistic, Means) {
  const SmallRow row{.x = {1, 1, 1, 2, 2, 2, 3}};  // squares sum to 24
  Recipe recipe = with_kind(StatisticKind::kMeanSquare);
  const auto mean_is = [&](MeanStep step, float mean) {
    recipe.statistic.mean = step;
    recipe.statistic.order.kind = OrderKind::kSequential;
    EXPECT_EQ(rms_of(recipe, row), static_cast<double>(std::sqrt(mean)));
  };
  const float seventh = 1.0F / 7.0F;
  mean_is(MeanStep::kDivide, 24.0F / 7.0F);
  mean_is(MeanStep::kMultiplyReciprocal, 24.0F * seventh);
  float sum = 0;
  for (const float square : {1.0F, 1.0F, 1.0F, 4.0F, 4.0F, 4.0F, 9.0F}) sum += square * seventh;
  mean_is(MeanStep::kPrescaled, sum);
}

// S (1/n) + e in one rounding: the mean itself is never a binary32 number.
TEST(Statistic, MeanFusedWithEpsilon) {
  Recipe recipe;
  recipe.statistic.order.kind = OrderKind::kSequential;
  recipe.statistic.mean = MeanStep::kMultiplyReciprocal;
  constexpr float kSeventh = 1.0F / 7.0F;
  int differing = 0;
  for (int i = 1; i <= 40; ++i) {
    const SmallRow row{.x = {static_cast<double>(i), 1, 1, 2, 2, 2, 3}, .epsilon = 1e-3};
    const auto sum = static_cast<float>(i * i + 23);
    recipe.contract = {};
    const float in_two = std::sqrt(sum * kSeventh + 1e-3F);
    EXPECT_EQ(rms_of(recipe, row), static_cast<double>(in_two));
    recipe.contract = {Contraction::kMeanWithEpsilon};
    const float in_one = std::sqrt(std::fma(sum, kSeventh, 1e-3F));
    EXPECT_EQ(rms_of(recipe, row), static_cast<double>(in_one));
    differing += in_one != in_two ? 1 : 0;
  }
  EXPECT_GE(differing, 3);
}

// One fused multiply-add keeps the square's digits that its rounding would drop.
TEST(Statistic, FusedSquares) {
  Recipe recipe = with_kind(StatisticKind::kSumSquare);
  recipe.statistic.order.kind = OrderKind::kSequential;
  const float a = 0x1.000002p0F;
  const SmallRow row{.x = {a, a, a}};
  const float square = a * a;
  EXPECT_EQ(rms_of(recipe, row), static_cast<double>(std::sqrt((square + square) + square)));
  recipe.statistic.order.fma = true;
  const float fused = std::fma(a, a, std::fma(a, a, std::fma(a, a, 0.0F)));
  EXPECT_EQ(rms_of(recipe, row), static_cast<double>(std::sqrt(fused)));
}

TEST(Epsilon, Positions) {
  const auto rms = [](EpsilonPosition position, const SmallRow& row) {
    Recipe recipe;
    recipe.epsilon.position = position;
    return rms_of(recipe, row);
  };
  const std::vector<double> threes = {3, -3, 3, 3};
  EXPECT_EQ(rms(EpsilonPosition::kInside, {.x = threes, .epsilon = 7}), 4);
  EXPECT_EQ(rms(EpsilonPosition::kOutside, {.x = threes, .epsilon = 1}), 4);
  EXPECT_EQ(rms(EpsilonPosition::kClampQ, {.x = threes, .epsilon = 16}), 4);
  EXPECT_EQ(rms(EpsilonPosition::kClampQ, {.x = threes, .epsilon = 8}), 3);
  EXPECT_EQ(rms(EpsilonPosition::kClampRms, {.x = threes, .epsilon = 5}), 5);
  EXPECT_EQ(rms(EpsilonPosition::kClampRms, {.x = threes, .epsilon = 2}), 3);
  EXPECT_EQ(rms(EpsilonPosition::kClampRmsSqrtN, {.x = threes, .epsilon = 16}), 4);
  EXPECT_EQ(rms(EpsilonPosition::kClampRmsSqrtN, {.x = threes, .epsilon = 4}), 3);
  EXPECT_EQ(rms(EpsilonPosition::kOnSum, {.x = threes, .epsilon = 28}), 4);
  EXPECT_EQ(rms(EpsilonPosition::kScaledByMax, {.x = threes, .epsilon = 3}), 6);
  EXPECT_EQ(rms(EpsilonPosition::kNone, {.x = threes, .epsilon = 1000}), 3);
}

TEST(Epsilon, PositionsInAMultiplyingTail) {
  const auto r = [](EpsilonPosition position, double epsilon) {
    Recipe recipe;
    recipe.epsilon.position = position;
    return emulate_small(recipe, {.x = {2, -2}, .epsilon = epsilon}).scalars.at(0);
  };
  EXPECT_EQ(r(EpsilonPosition::kInside, 12), 0.25);
  EXPECT_EQ(r(EpsilonPosition::kOutside, 2), 0.25);
  EXPECT_EQ(r(EpsilonPosition::kAfterRsqrt, 0.25), 0.75);
  EXPECT_EQ(r(EpsilonPosition::kClampQ, 16), 0.25);
  EXPECT_EQ(r(EpsilonPosition::kClampRms, 4), 0.25);
  EXPECT_EQ(r(EpsilonPosition::kClampRmsSqrtN, 16),
            static_cast<double>(std::sqrt(2.0F) * (1.0F / std::sqrt(32.0F))));
  EXPECT_EQ(r(EpsilonPosition::kOnSum, 24), 0.25);
  EXPECT_EQ(r(EpsilonPosition::kScaledByMax, 3), 0.25);
  EXPECT_EQ(r(EpsilonPosition::kNone, 3), 0.5);
}

// On a zero row the statistic is the epsilon itself.
TEST(Epsilon, Formats) {
  const auto rms = [](StepFormat dtype, const FloatFormat& format, ComputeFormat compute) {
    Recipe recipe;
    recipe.epsilon.dtype = dtype;
    recipe.compute = compute;
    return rms_of(recipe, {.x = {0, 0}, .epsilon = 1e-6, .format = &format});
  };
  const auto root32 = [](double e) { return rounded_to(std::sqrt(e), kFp32); };
  EXPECT_EQ(rms(StepFormat::kBinary32, kFp16, ComputeFormat::kBinary32), root32(1e-6F));
  EXPECT_EQ(rms(StepFormat::kInput, kFp16, ComputeFormat::kBinary32), root32(0x1.1p-20));
  EXPECT_EQ(rms(StepFormat::kInput, kBf16, ComputeFormat::kBinary32), root32(0x1.0cp-20));
  EXPECT_EQ(rms(StepFormat::kBinary64, kBf16, ComputeFormat::kBinary64), std::sqrt(1e-6));
  EXPECT_EQ(rms(StepFormat::kBinary64, kBf16, ComputeFormat::kBinary32), root32(1e-6F));
  // fp32 means binary64 where everything runs in binary64.
  EXPECT_EQ(rms(StepFormat::kBinary32, kFp64, ComputeFormat::kAtLeastFp32), std::sqrt(1e-6));
}

// 1 + e in binary64 and then binary32, against 1 + (e as binary32).
TEST(Epsilon, IsAddedInTheWiderFormat) {
  Recipe recipe;
  const double epsilon = 0x1.000000ffp-24;  // just above half an ulp of 1 in binary64 only
  const SmallRow row{.x = {1, 1}, .epsilon = epsilon};
  EXPECT_EQ(rms_of(recipe, row), 1);
  recipe.epsilon.dtype = StepFormat::kBinary64;
  recipe.statistic_rounding = StatisticRounding::kNone;
  EXPECT_EQ(rms_of(recipe, row), static_cast<double>(std::sqrt(1 + 0x1p-23F)));
}

TEST(Root, Kinds) {
  const SmallRow row{.x = {3, 3}, .epsilon = 0};
  const auto r = [&row](RootKind kind) {
    Recipe recipe;
    recipe.root.kind = kind;
    return emulate_small(recipe, row).scalars.at(0);
  };
  EXPECT_EQ(r(RootKind::kReciprocalOfSqrt), static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(r(RootKind::kRsqrtCorrect), rounded_to(1.0 / 3.0, kFp32));
  EXPECT_EQ(r(RootKind::kRsqrtApprox), rounded_to(1.0 / 3.0, kFp32));
}

// Two roundings and one differ in about a quarter of all cases.
TEST(Root, OneRoundingOrTwo) {
  int different = 0;
  for (int i = 1; i <= 400; ++i) {
    const double x = 1 + i / 1024.0;
    Recipe recipe;
    const SmallRow row{.x = {x}, .epsilon = 1e-6};
    const auto q = static_cast<float>(x * x);
    const float e = q + 1e-6F;
    const double two = emulate_small(recipe, row).scalars.at(0);
    EXPECT_EQ(two, static_cast<double>(1.0F / std::sqrt(e)));
    recipe.root.kind = RootKind::kRsqrtCorrect;
    const double one = emulate_small(recipe, row).scalars.at(0);
    EXPECT_EQ(one, rounded_to(1 / std::sqrt(static_cast<double>(e)), kFp32));
    different += one != two ? 1 : 0;
  }
  EXPECT_GT(different, 40);
  EXPECT_LT(different, 200);
}

TEST(Root, NewtonSteps) {
  Recipe recipe;
  recipe.root = {.kind = RootKind::kRsqrtApprox, .newton_steps = 1};
  const SmallRow row{.x = {1.25, 3}, .epsilon = 1e-6};
  const float e = (1.5625F + 9.0F) / 2.0F + 1e-6F;
  const auto r = static_cast<float>(1 / std::sqrt(static_cast<double>(e)));
  const float refined = r * (1.5F - (e * 0.5F * r) * r);
  EXPECT_EQ(emulate_small(recipe, row).scalars.at(0), static_cast<double>(refined));
}

// In binary16: sqrt(3) rounds up there, which its reciprocal shows.
TEST(Root, EachOperationRoundedToTheInput) {
  Recipe recipe;
  recipe.cast = CastPoint::kEveryOp;
  int different = 0;
  for (int i = 1; i <= 200; ++i) {
    const double q = rounded_to(1 + i / 64.0, kFp16);
    const double x = rounded_to(std::sqrt(q), kFp16);
    const SmallRow row{.x = {x}, .format = &kFp16};
    const double mean = rounded_to(rounded_to(x * x, kFp32), kFp16);
    recipe.root.rounding = RootRounding::kOnce;
    const float reciprocal = 1.0F / std::sqrt(static_cast<float>(mean));
    const double once = emulate_small(recipe, row).scalars.at(0);
    EXPECT_EQ(once, rounded_to(static_cast<double>(reciprocal), kFp16));
    recipe.root.rounding = RootRounding::kEachOp;
    const double root = rounded_to(std::sqrt(mean), kFp16);
    const double each = emulate_small(recipe, row).scalars.at(0);
    EXPECT_EQ(each, rounded_to(1 / root, kFp16));
    different += once != each ? 1 : 0;
  }
  EXPECT_GT(different, 10);
}

TEST(StatisticRounding, RoundsWhatItNames) {
  const SmallRow row{.x = {1, 1.25, 1.5}, .epsilon = 1e-3, .format = &kBf16};
  const float q = ((1.0F + 1.5625F) + 2.25F) / 3.0F;
  const auto bf16 = [](double value) { return static_cast<float>(rounded_to(value, kBf16)); };
  const auto e = [](float mean) { return mean + 1e-3F; };
  const auto r = [&row](StatisticRounding rounding) {
    Recipe recipe;
    recipe.statistic_rounding = rounding;
    return static_cast<float>(emulate_small(recipe, row).scalars.at(0));
  };
  EXPECT_EQ(r(StatisticRounding::kNone), 1 / std::sqrt(e(q)));
  EXPECT_EQ(r(StatisticRounding::kMean), 1 / std::sqrt(e(bf16(q))));
  EXPECT_EQ(r(StatisticRounding::kRms), 1 / bf16(std::sqrt(e(q))));
  EXPECT_EQ(r(StatisticRounding::kRstd), bf16(1 / std::sqrt(e(q))));
  EXPECT_EQ(r(StatisticRounding::kAll), bf16(1 / std::sqrt(bf16(e(bf16(q))))));
  EXPECT_NE(r(StatisticRounding::kMean), r(StatisticRounding::kNone));
  EXPECT_NE(r(StatisticRounding::kRms), r(StatisticRounding::kNone));
}

}  // namespace
}  // namespace normcert
