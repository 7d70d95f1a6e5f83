#include "judge/case_summary.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "judge/hand_case.hpp"

namespace normcert {
namespace {

TEST(CaseSummary, LowerMedianOfAnEvenNumber) {
  // q = 1, 4, 9, 16 in another order.
  const CaseSummary s =
      summarise(judged(case_of({.x = {{"3"}, {"-1"}, {"4"}, {"2"}}, .epsilon = "0.5"}, "four")));
  EXPECT_EQ(s.id, "four");
  EXPECT_EQ(s.rows, 4U);
  EXPECT_EQ(s.dim, 1U);
  ASSERT_TRUE(s.q);
  EXPECT_EQ(s.q->min, 1);
  EXPECT_EQ(s.q->median, 4);
  EXPECT_EQ(s.q->max, 16);
  EXPECT_EQ(s.q_over_epsilon->min, 2);
  EXPECT_EQ(s.q_over_epsilon->median, 8);
  EXPECT_EQ(s.q_over_epsilon->max, 32);
  const CaseSummary odd = summarise(judged(case_of({.x = {{"3"}, {"1"}, {"2"}}, .epsilon = "1"})));
  EXPECT_EQ(odd.q->median, 4);
}

TEST(CaseSummary, AttenuationBeforeTheGain) {
  const CaseSummary s = summarise(
      judged(case_of({.x = {{"1", "7"}, {"0", "0"}}, .epsilon = "11", .weight = {"100", "-3"}})));
  EXPECT_EQ(s.attenuation->min, 0);
  EXPECT_EQ(s.attenuation->max, 5.0 / 6);
  EXPECT_EQ(s.weight_dtype, "fp32");
  EXPECT_EQ(s.epsilon_text, "11");
  EXPECT_EQ(s.epsilon, 11);
}

TEST(CaseSummary, TheResidualCounts) {
  const CaseSummary s = summarise(
      judged(case_of({.x = {{"0.5", "3"}}, .epsilon = "39", .residual = {{"0.5", "4"}}})));
  EXPECT_TRUE(s.has_residual);
  EXPECT_EQ(s.q->min, 25);
  EXPECT_EQ(s.attenuation->min, 0.625);
}

TEST(CaseSummary, RowsWithoutAnExactResultDoNotCount) {
  const CaseSummary some =
      summarise(judged(case_of({.x = {{"nan", "1"}, {"1", "7"}, {"inf", "0"}}, .epsilon = "39"})));
  EXPECT_EQ(some.rows, 3U);
  EXPECT_EQ(some.rows_non_finite, 2U);
  EXPECT_EQ(some.q->min, 25);
  EXPECT_EQ(some.q->max, 25);
  const CaseSummary none = summarise(judged(case_of({.x = {{"nan", "1"}}, .epsilon = "39"})));
  EXPECT_FALSE(none.q);
  EXPECT_FALSE(none.q_over_epsilon);
  EXPECT_FALSE(none.attenuation);
}

TEST(CaseSummary, TheFarEnds) {
  const CaseSummary zero =
      summarise(judged(case_of({.x = {{"1", "7"}}, .epsilon = "0", .format = &kFp64})));
  EXPECT_FALSE(zero.q_over_epsilon);
  EXPECT_EQ(zero.attenuation->min, 1);
  const CaseSummary huge =
      summarise(judged(case_of({.x = {{"1e200"}}, .epsilon = "1e-6", .format = &kFp64})));
  EXPECT_EQ(huge.q->max, std::numeric_limits<double>::infinity());
  EXPECT_EQ(huge.attenuation->max, 1);
}

}  // namespace
}  // namespace normcert
