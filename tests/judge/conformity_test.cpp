// One value of the row's scalar must give every output: true for every order of the sum, false for
// another function or another rounding point.
#include "judge/conformity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "judge/kernel_rows.hpp"

namespace normcert {
namespace {

constexpr const FloatFormat* kFormats[] = {&kFp32, &kBf16, &kFp16};

TEST(Conformity, HoldsForEveryOrderOfTheSum) {
  int rows = 0;
  for (const FloatFormat* format : kFormats) {
    for (const std::size_t width : {1U, 2U, 7U, 64U, 1000U, 4096U}) {
      const Case value = random_case(*format, width, 1);
      for (const CastPoint cast : {CastPoint::kBeforeWeight, CastPoint::kAfterWeight}) {
        const Recipe asked = base_recipe(cast);
        for (const SummationOrder& order : orders()) {
          Recipe port = asked;
          port.statistic.order = order;
          const int conforming = rows_that_conform(asked, value, outputs(port, value));
          EXPECT_EQ(conforming, 4) << format->name << " " << width;
          rows += conforming;
        }
      }
    }
  }
  EXPECT_EQ(rows, 3 * 6 * 2 * 7 * 4);
}

TEST(Conformity, HoldsForTailsThatDivide) {
  Recipe recipe = base_recipe(CastPoint::kAfterWeight);
  recipe.association = Association::kXOverRmsW;
  recipe.root.kind = RootKind::kDivideBySqrt;
  for (const FloatFormat* format : kFormats) {
    const Case value = random_case(*format, 256, 2);
    Recipe port = recipe;
    port.statistic.order.kind = OrderKind::kSequential;
    EXPECT_EQ(rows_that_conform(recipe, value, outputs(port, value)), 4) << format->name;
  }
}

// What a device makes of rsqrt lies within the default bound of 2 ulp, a fused mean too.
TEST(Conformity, HoldsForADevice) {
  for (const FloatFormat* format : kFormats) {
    const Case value = random_case(*format, 1000, 9);
    Recipe asked = base_recipe(CastPoint::kAfterWeight);
    asked.root.kind = RootKind::kRsqrtApprox;
    Recipe port = asked;
    port.rsqrt_table = RsqrtTable::kSm90;
    port.statistic.order.kind = OrderKind::kTorchCudaMean;
    port.statistic.mean = MeanStep::kMultiplyReciprocal;
    EXPECT_EQ(rows_that_conform(asked, value, outputs(port, value)), 4) << format->name;
    port.contract = {Contraction::kMeanWithEpsilon};
    EXPECT_EQ(rows_that_conform(asked, value, outputs(port, value)), 4) << format->name;
    EXPECT_EQ(rows_that_conform(port, value, outputs(asked, value)), 4) << format->name;
  }
}

// How far the root may lie from the exact one is what max_ulp says, and what Newton's steps leave.
TEST(Conformity, AnApproximateRootMayDeviateByMaxUlp) {
  const Case declared = random_case(kFp32, 64, 10);
  Recipe asked = base_recipe(CastPoint::kAfterWeight);
  asked.root.kind = RootKind::kRsqrtApprox;
  // On the row of magnitude 0.8 this epsilon moves the root by about 6e-5, some 500 ulp.
  Case other = declared;
  other.epsilon = read_epsilon("9e-5", "", "");
  const TensorView got = outputs(asked, other);
  const auto conforms = [&](int max_ulp, int newton_steps) {
    asked.root.max_ulp = max_ulp;
    asked.root.newton_steps = newton_steps;
    return row_conforms(asked, declared, 0, got);
  };
  EXPECT_EQ(conforms(2, 0), Tristate::kDiffers);
  EXPECT_EQ(conforms(100, 0), Tristate::kDiffers);
  EXPECT_EQ(conforms(2000, 0), Tristate::kSame);
  EXPECT_EQ(conforms(4096, 0), Tristate::kSame);
  EXPECT_EQ(conforms(4097, 0), Tristate::kUndecided);
  // 2000 ulp are 2.4e-4, of which a step leaves 1.1e-7.
  EXPECT_EQ(conforms(2000, 1), Tristate::kDiffers);
  EXPECT_EQ(conforms(1 << 17, 1), Tristate::kUndecided);
  EXPECT_EQ(conforms(1 << 17, 2), Tristate::kDiffers);
}

TEST(Conformity, AnotherRoundingPointDoesNotConform) {
  for (const FloatFormat* format : {&kBf16, &kFp16}) {
    for (const std::size_t width : {64U, 1000U, 4096U}) {
      const Case value = random_case(*format, width, 3);
      const Recipe before = base_recipe(CastPoint::kBeforeWeight);
      const Recipe after = base_recipe(CastPoint::kAfterWeight);
      EXPECT_EQ(rows_that_conform(before, value, outputs(after, value)), 0) << format->name;
      EXPECT_EQ(rows_that_conform(after, value, outputs(before, value)), 0) << format->name;
    }
  }
}

TEST(Conformity, AnotherFunctionDoesNotConform) {
  const Recipe recipe = base_recipe(CastPoint::kAfterWeight);
  const Case declared = random_case(kBf16, 512, 4);
  Case other = declared;
  other.epsilon = read_epsilon("1e-6", "", "");
  const TensorView got = outputs(recipe, other);
  // The row of magnitude 1/512 has q near 4e-6: there the two epsilons differ by half.
  EXPECT_EQ(row_conforms(recipe, declared, 3, got), Tristate::kDiffers);
  EXPECT_EQ(row_conforms(recipe, other, 3, got), Tristate::kSame);

  Recipe outside = recipe;
  outside.epsilon.position = EpsilonPosition::kOutside;
  EXPECT_EQ(row_conforms(recipe, declared, 3, outputs(outside, declared)), Tristate::kDiffers);
  Case offset = declared;
  offset.weight_offset = {"1", 1};
  Recipe one_plus = recipe;
  one_plus.weight.form = WeightForm::kOnePlusW;
  EXPECT_EQ(rows_that_conform(recipe, declared, outputs(one_plus, offset)), 0);
}

TEST(Conformity, OneElementOffByOneCodeDoesNotConform) {
  const Recipe recipe = base_recipe(CastPoint::kBeforeWeight);
  for (const FloatFormat* format : kFormats) {
    const Case value = random_case(*format, 300, 5);
    const TensorView right = outputs(recipe, value);
    Tensor wrong(*format, right.rows, right.width);
    for (std::size_t row = 0; row < right.rows; ++row) {
      for (std::size_t i = 0; i < right.width; ++i) wrong.set(row, i, right.at(row, i));
      wrong.set(row, 17, next_up(next_up(right.at(row, 17))));
    }
    EXPECT_EQ(rows_that_conform(recipe, value, wrong.view()), 0) << format->name;
  }
}

TEST(Conformity, ResidualIsAddedAsTheRecipeSays) {
  for (const ResidualMode mode :
       {ResidualMode::kRounded, ResidualMode::kUnrounded, ResidualMode::kUnroundedStatistic}) {
    Recipe recipe = base_recipe(CastPoint::kAfterWeight);
    recipe.residual = mode;
    Case value = random_case(kBf16, 200, 6);
    value.residual = random_case(kBf16, 200, 7).x;
    Recipe port = recipe;
    port.statistic.order.kind = OrderKind::kSequential;
    EXPECT_EQ(rows_that_conform(recipe, value, outputs(port, value)), 4);
  }
}

TEST(Conformity, IsNotDecidedWhereTheBoundDoesNotHold) {
  const Case value = random_case(kBf16, 64, 8);
  Recipe narrow = base_recipe(CastPoint::kAfterWeight);
  narrow.statistic_rounding = StatisticRounding::kRstd;
  EXPECT_FALSE(has_binary32_statistic(narrow));
  EXPECT_EQ(row_conforms(narrow, value, 0, outputs(narrow, value)), Tristate::kUndecided);
  Case tiny = value;
  Tensor x(kFp32, 1, 64);
  for (std::size_t i = 0; i < 64; ++i) x.set(0, i, code_of(0x1p-70F));
  tiny.x = std::move(x).share();
  tiny.output = &kFp32;
  const Recipe recipe = base_recipe(CastPoint::kAfterWeight);
  EXPECT_EQ(row_conforms(recipe, tiny, 0, outputs(recipe, tiny)), Tristate::kUndecided);
}

}  // namespace
}  // namespace normcert
