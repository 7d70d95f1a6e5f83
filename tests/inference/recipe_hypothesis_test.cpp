// Which recipes are hypotheses, and which are none.
#include "inference/recipe_hypothesis.hpp"

#include <gtest/gtest.h>

#include "emulation/sample_rows.hpp"

namespace normcert {
namespace {

template <typename Change>
std::optional<Hypothesis> hypothesis_with(const FloatFormat& format, Change change) {
  Case value;
  value.x = sample_rows(format, 2, 8, "x").share();
  value.weight = sample_rows(format, 1, 8, "weight").share();
  const TensorView y = sample_rows(format, 2, 8, "y").share();
  Recipe recipe;
  change(recipe);
  return hypothesis_of_recipe(recipe, {.site = "norm", .value = &value, .y = y});
}

TEST(RecipeHypothesis, OfTheDefaults) {
  const auto found = hypothesis_with(kBf16, [](Recipe&) {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->statistic, "mean_square");
  EXPECT_EQ(found->rounding, "before_weight");
}

TEST(RecipeHypothesis, NoneHasAGate) {
  for (const GateMode mode : {GateMode::kBefore, GateMode::kAfter}) {
    EXPECT_FALSE(hypothesis_with(kBf16, [&](Recipe& r) { r.gate = mode; }));
  }
}

// A hypothesis with another statistic than the mean square leaves nothing of it rounded to 16 bits:
// a recipe that does is none, rather than that one, which its own outputs would refute.
TEST(RecipeHypothesis, OtherStatisticsAreNoneWhereTheyAreNarrow) {
  const auto l2 = [](Recipe& r) {
    r.statistic.kind = StatisticKind::kSumSquare;
    r.root.kind = RootKind::kDivideBySqrt;
    r.association = Association::kWOverRmsX;
    r.cast = CastPoint::kAfterWeight;
  };
  const auto rounded = [&](Recipe& r) {
    l2(r);
    r.statistic_rounding = StatisticRounding::kRms;
  };
  EXPECT_EQ(hypothesis_with(kBf16, l2).value().statistic, "sum_square");
  EXPECT_FALSE(hypothesis_with(kBf16, rounded));
  EXPECT_EQ(hypothesis_with(kFp32, rounded).value().statistic, "sum_square");
  const auto centred = [](Recipe& r) {
    r.statistic.kind = StatisticKind::kVariance;
    r.cast = CastPoint::kEveryOp;
  };
  EXPECT_FALSE(hypothesis_with(kFp16, centred));
  EXPECT_EQ(hypothesis_with(kFp32, centred).value().statistic, "variance");
}

}  // namespace
}  // namespace normcert
