// What a gate would have noticed, on rows that show much and on rows that show nothing.
#include "judge/power.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "judge/hand_case.hpp"
#include "judge/kernel_rows.hpp"
#include "judge/made_rows.hpp"
#include "judge/power_rows.hpp"
#include "judge/verify.hpp"

namespace normcert {
namespace {

Case with_epsilon(Case value, const std::string& text, double epsilon) {
  value.id = "norm";
  value.epsilon.text = text;
  value.epsilon.binary64 = epsilon;
  return value;
}

// What a kernel with a cast before the weight gives on these rows, held to `criteria` or a level.
VerifyRequest request_of(Case value, const Criteria& criteria, Level level) {
  VerifyRequest request;
  const TensorView y = outputs(base_recipe(CastPoint::kBeforeWeight), value);
  request.cases.push_back(judged(std::move(value), y));
  request.criteria = criteria;
  request.level = level;
  complete(request);
  static const Recipe kBase = base_recipe(CastPoint::kBeforeWeight);
  request.known_recipes = [] { return std::vector<const Recipe*>{&kBase}; };
  return request;
}

PowerGroup power_of(const VerifyRequest& request, PowerRows rows = PowerRows::kSample) {
  std::optional<FunctionLevel> function;
  if (request.level == Level::kFunction) function = judge_function(request, measure(request));
  Power power = measure_power(request, function ? &*function : nullptr, rows);
  EXPECT_EQ(power.groups.size(), 1U);
  return std::move(power.groups.at(0));
}

std::string fate(const PowerGroup& group, const std::string& name) {
  const auto one = std::ranges::find(group.mutants, name, &TriedMutant::name);
  return one == group.mutants.end() ? "not run" : std::string(name_of(one->fate));
}
std::string by(const PowerGroup& group, const std::string& name) {
  return std::ranges::find(group.mutants, name, &TriedMutant::name)->by;
}

TEST(Power, RowsNearEpsilonShowEveryDefect) {
  const auto request =
      request_of(with_epsilon(random_case(kBf16, 64, 3), "0.01", 0.01), {}, Level::kFunction);
  const PowerGroup group = power_of(request);
  const MutantCount count = required_of(group);
  EXPECT_EQ(count.caught, 8U);
  EXPECT_EQ(count.of, 8U);
  EXPECT_EQ(by(group, "epsilon_x10"), "elimination at norm");
  ASSERT_TRUE(group.rejected_below && group.rejected_above);
  EXPECT_LT(*group.rejected_below, 0.01);
  EXPECT_GT(*group.rejected_above, 0.01);
  EXPECT_LT(*group.rejected_above / *group.rejected_below, 1.1);
  EXPECT_TRUE(group.unpinned.empty());
  EXPECT_FALSE(group.immaterial_below);
  VerifyOutcome outcome;
  outcome.verdict = VerdictValue::kAccepted;
  judge_power({PowerRows::kSample, {group}}, outcome);
  EXPECT_EQ(outcome.verdict, VerdictValue::kAccepted);
  EXPECT_TRUE(outcome.reasons.empty());
}

// An epsilon of 1e-12 beside mean squares near 1 changes no output.
TEST(Power, RowsFarAboveEpsilonShowNothingOfIt) {
  const auto request =
      request_of(with_epsilon(random_case(kBf16, 64, 3), "1e-12", 1e-12), {}, Level::kFunction);
  const PowerGroup group = power_of(request);
  for (const char* const name : {"epsilon_x10", "epsilon_div10", "epsilon_dropped"}) {
    EXPECT_EQ(fate(group, name), "equivalent") << name;
  }
  EXPECT_EQ(fate(group, "mean_subtracted"), "caught");
  ASSERT_TRUE(group.immaterial_below);
  EXPECT_GT(*group.immaterial_below, 1e-12);
  EXPECT_LT(*group.immaterial_below, 1e-2);
  ASSERT_EQ(group.unpinned.size(), 1U);
  EXPECT_EQ(group.unpinned[0].site, "norm");
  VerifyOutcome outcome;
  outcome.verdict = VerdictValue::kAccepted;
  judge_power({PowerRows::kSample, {group}}, outcome);
  EXPECT_EQ(outcome.verdict, VerdictValue::kInconclusive);
  ASSERT_EQ(outcome.reasons.size(), 1U);
  EXPECT_EQ(outcome.reasons[0].code, "power");
  EXPECT_NE(outcome.reasons[0].text.find("epsilon_x10, epsilon_div10, epsilon_dropped"),
            std::string::npos)
      << outcome.reasons[0].text;
  // A rejection needs no power.
  VerifyOutcome rejected;
  rejected.verdict = VerdictValue::kRejected;
  judge_power({PowerRows::kSample, {group}}, rejected);
  EXPECT_EQ(rejected.verdict, VerdictValue::kRejected);
  EXPECT_TRUE(rejected.reasons.empty());
}

// The epsilon up to which nothing changes is one: at it every output is as without, and somewhat
// above some is not.
TEST(Power, ImmaterialUpToThere) {
  const Case value = with_epsilon(random_case(kBf16, 64, 3), "1e-12", 1e-12);
  const PowerGroup group = power_of(request_of(value, {}, Level::kFunction));
  ASSERT_TRUE(group.immaterial_below);
  const auto at = [&](double epsilon) {
    return outputs(base_recipe(CastPoint::kBeforeWeight), with_epsilon(value, "", epsilon));
  };
  EXPECT_TRUE(std::ranges::equal(at(*group.immaterial_below).bytes, at(0).bytes));
  EXPECT_FALSE(std::ranges::equal(at(1.02 * *group.immaterial_below).bytes, at(0).bytes));
}

TEST(Power, LimitsAreAskedInTheirOwnWay) {
  const Case value = with_epsilon(random_case(kBf16, 64, 3), "0.001", 0.001);
  const PowerGroup wide = power_of(request_of(value, within(10, 10), Level::kTolerance));
  EXPECT_EQ(fate(wide, "epsilon_x10"), "accepted");
  EXPECT_FALSE(wide.rejected_above);
  const PowerGroup tight = power_of(request_of(value, within_ulp(2), Level::kTolerance));
  EXPECT_EQ(fate(tight, "epsilon_x10"), "caught");
  EXPECT_EQ(by(tight, "epsilon_x10"), "max_ulp at norm");
  ASSERT_TRUE(tight.rejected_above);
  EXPECT_LT(*tight.rejected_above, 0.01);
  EXPECT_GT(*tight.rejected_above, 0.001);
  EXPECT_EQ(required_of(tight).of, 8U);
}

TEST(Power, BitsShowWhatRowsShow) {
  VerifyRequest request =
      request_of(with_epsilon(random_case(kBf16, 64, 3), "0.01", 0.01), {}, Level::kBits);
  const PowerGroup group = power_of(request);
  EXPECT_EQ(fate(group, "inverse_rms_rounded"), "caught");
  // The source here is the exact result rounded once, which is what a cast at the end gives.
  EXPECT_EQ(fate(group, "cast_order_swapped"), "accepted");
  EXPECT_EQ(required_of(group).of, 11U);
}

// Squares that binary32 cannot hold: elimination judges neither the kernel nor a defect.
TEST(Power, WhatIsJudgedOfNobodyIsNotCaught) {
  Case value = with_epsilon(random_case(kBf16, 64, 3), "1e-6", 1e-6);
  Tensor x(kBf16, value.x.rows, value.x.width);
  for (std::size_t i = 0; i < value.x.size(); ++i) {
    Code small = value.x.at(i / 64, i % 64);
    small.bits = (small.bits & 0x807fU) | 0x0080U;  // 2^-126 .. 2^-125
    x.set(i / 64, i % 64, small);
  }
  value.x = std::move(x).share();
  const PowerGroup group = power_of(request_of(value, {}, Level::kFunction));
  EXPECT_EQ(fate(group, "weight_ignored"), "accepted");
  EXPECT_EQ(fate(group, "epsilon_outside"), "accepted");
}

TEST(Power, ThreadsAndRowsOfPartsChangeNothing) {
  VerifyRequest request =
      request_of(with_epsilon(random_case(kBf16, 64, 3), "1e-4", 1e-4), {}, Level::kFunction);
  const PowerGroup one = power_of(request);
  request.threads = 3;
  request.part = {1, 2};
  const PowerGroup other = power_of(request);
  ASSERT_EQ(one.mutants.size(), other.mutants.size());
  for (std::size_t i = 0; i < one.mutants.size(); ++i) {
    EXPECT_EQ(one.mutants[i].fate, other.mutants[i].fate);
    EXPECT_EQ(one.mutants[i].by, other.mutants[i].by);
  }
  EXPECT_EQ(one.rejected_above, other.rejected_above);
}

// A float32 dump of bf16 outputs shows no more than bf16 does.
TEST(Power, ADumpIsJudgedInItsOwnFormat) {
  const auto plain =
      request_of(with_epsilon(random_case(kBf16, 64, 3), "1e-6", 1e-6), {}, Level::kFunction);
  VerifyRequest dumped = plain;
  JudgedCase& judged = dumped.cases.front();
  const auto widened = [](const TensorView& tensor) {
    Tensor wide(kFp32, tensor.rows, tensor.width);
    for (std::size_t row = 0; row < tensor.rows; ++row) {
      for (std::size_t i = 0; i < tensor.width; ++i) {
        wide.set(row, i, convert(tensor.at(row, i), kFp32));
      }
    }
    return std::move(wide).share();
  };
  judged.value.x = widened(judged.value.x);
  judged.value.weight = widened(*judged.value.weight);
  judged.observed->y = widened(*judged.observed->y);
  judged.value.output = &kFp32;
  const PowerGroup a = power_of(plain);
  const PowerGroup b = power_of(dumped);
  ASSERT_EQ(a.mutants.size(), b.mutants.size());
  for (std::size_t i = 0; i < a.mutants.size(); ++i) {
    EXPECT_EQ(name_of(a.mutants[i].fate), name_of(b.mutants[i].fate)) << a.mutants[i].name;
  }
}

TEST(PowerRows, FewRowsAreAllTried) {
  const JudgedCase few = judged(made_case(20, 64, kBf16));
  const RowsToTry rows = rows_to_try(few, false, 1);
  ASSERT_EQ(rows.chunks.size(), 1U);
  EXPECT_EQ(rows.chunks[0].size(), 20U);
}

TEST(PowerRows, OfManyTheSmallestGreatestAndSomeBetween) {
  JudgedCase many = judged(made_case(5000, 512, kBf16));
  const RowsToTry sample = rows_to_try(many, false, 2);
  ASSERT_EQ(sample.chunks.size(), 1U);
  EXPECT_LE(sample.chunks[0].size(), 128U);
  EXPECT_GE(sample.chunks[0].size(), 64U);
  EXPECT_TRUE(std::ranges::is_sorted(sample.chunks[0]));
  std::size_t least = 0;
  double least_sum = 1e300;
  for (std::size_t row = 0; row < 5000; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 512; ++i) {
      const double x = to_binary64(many.value.x.at(row, i));
      sum += x * x;
    }
    if (sum < least_sum) least = row, least_sum = sum;
  }
  EXPECT_NE(std::ranges::find(sample.chunks[0], least), sample.chunks[0].end());
  EXPECT_NEAR(sample.least_q, least_sum / 512, 1e-9 * least_sum);
  const RowsToTry all = rows_to_try(many, true, 2);
  EXPECT_EQ(all.chunks.size(), 3U);  // 2048 rows each
  std::size_t count = 0;
  for (const auto& chunk : all.chunks) count += chunk.size();
  EXPECT_EQ(count, 5000U);
  // Of chosen rows only those.
  many.chosen_rows = {{7, 9, 4000}};
  EXPECT_EQ(rows_to_try(many, false, 1).chunks[0], (std::vector<std::size_t>{7, 9, 4000}));
}

TEST(PowerRows, RowsOfNanAreNotTried) {
  const JudgedCase one = judged(case_of({.x = {{"1", "nan"}, {"1", "7"}}, .epsilon = "39"}));
  EXPECT_EQ(rows_to_try(one, false, 1).chunks[0], (std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace normcert
