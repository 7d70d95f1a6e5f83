// What a hypothesis must say to be the declared function, point by point.
#include "inference/declared_function.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace normcert {
namespace {

constexpr auto kStrict = StatisticKept::kBinary32;
constexpr auto kAny = StatisticKept::kAnyFormat;

Hypothesis declared() { return {"mean_square", "inside", "before_weight", "1", "used", "rounded"}; }

TEST(DeclaredFunction, EachPointCounts) {
  EXPECT_TRUE(is_declared_function(declared(), "1", kStrict));
  EXPECT_TRUE(is_declared_function(declared(), std::nullopt, kStrict));
  const auto changed = [](std::string Hypothesis::*member, const char* value) {
    Hypothesis one = declared();
    one.*member = value;
    return is_declared_function(one, "1", kAny);
  };
  EXPECT_TRUE(changed(&Hypothesis::rounding, "every_op"));
  EXPECT_TRUE(changed(&Hypothesis::weight_use, "cast_to_input"));
  EXPECT_TRUE(changed(&Hypothesis::residual, "unrounded"));
  EXPECT_FALSE(changed(&Hypothesis::statistic, "variance"));
  EXPECT_FALSE(changed(&Hypothesis::statistic, "mean_square_per_group_64"));
  EXPECT_FALSE(changed(&Hypothesis::placement, "outside"));
  EXPECT_FALSE(changed(&Hypothesis::weight_offset, "0"));
  EXPECT_FALSE(changed(&Hypothesis::weight_use, "twice"));
  EXPECT_FALSE(changed(&Hypothesis::weight_use, "ignored"));
  EXPECT_FALSE(changed(&Hypothesis::residual, "ignored"));
}

TEST(DeclaredFunction, NarrowStatisticsAreNoneOfLevelFunction) {
  Hypothesis one = declared();
  one.statistic = "mean_in_input_dtype";
  EXPECT_TRUE(is_declared_function(one, "1", kAny));
  EXPECT_FALSE(is_declared_function(one, "1", kStrict));
  one = declared();
  one.rounding = "before_weight, x as bf16";
  EXPECT_TRUE(is_declared_function(one, "1", kAny));
  EXPECT_FALSE(is_declared_function(one, "1", kStrict));
}

TEST(DeclaredFunction, OffsetsAreNumbers) {
  EXPECT_TRUE(same_offset("1", "1.0"));
  EXPECT_TRUE(same_offset("0", "0e0"));
  EXPECT_FALSE(same_offset("0", "1"));
  EXPECT_FALSE(same_offset("one", "1"));
  EXPECT_TRUE(is_declared_function(declared(), "1.0", kStrict));
}

}  // namespace
}  // namespace normcert
