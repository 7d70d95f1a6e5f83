// Elements that no scalar gives together: by hand, and against a walk over scalars.
#include "emulation/tail_limits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulation/tail_fit.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

Tensor row_of(const FloatFormat& format, const std::vector<double>& values) {
  Tensor row(format, 1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    row.set(0, i, round(dyadic_of(values[i]), format));
  }
  return row;
}

RowView view_of(const Tensor& row) { return {row.format, row.bytes}; }

struct Question {
  Recipe recipe{};
  Tensor x{};
  std::optional<Tensor> weight{};
  Tensor got{};
  float low = 0;
  float high = 0;

  [[nodiscard]] RowInput input() const {
    RowInput input{.x = view_of(x), .residual = {}, .weight = {}, .weight_offset = 0, .epsilon = 1};
    if (weight) input.weight = view_of(*weight);
    return input;
  }
  [[nodiscard]] TailFit fit() const { return fit_tail(recipe, input(), view_of(got), low, high); }
  [[nodiscard]] std::vector<ElementLimits> limits() const {
    return contradicting_elements(recipe, input(), view_of(got), low, high);
  }
};

Question fp32_question(const std::vector<double>& x, const std::vector<double>& got) {
  Question question;
  question.recipe.weight.form = WeightForm::kNone;
  question.recipe.association = Association::kXr;
  question.x = row_of(kFp32, x);
  question.got = row_of(kFp32, got);
  question.low = 0.25F;
  question.high = 1.0F;
  return question;
}

// x r is exact for powers of two, so one scalar gives each output.
TEST(TailLimits, TwoElementsNeedDifferentScalars) {
  const Question question = fp32_question({0, 1, 2, 1}, {0, 0.5, 1.5, 0.5});
  ASSERT_EQ(question.fit(), TailFit::kRefuted);
  const std::vector<ElementLimits> found = question.limits();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].index, 2U);
  ASSERT_TRUE(found[0].scalars);
  EXPECT_EQ(found[0].scalars->least, 0.75F);
  EXPECT_EQ(found[0].scalars->greatest, 0.75F);
  EXPECT_EQ(found[1].index, 1U);
  ASSERT_TRUE(found[1].scalars);
  EXPECT_EQ(found[1].scalars->least, 0.5F);
  EXPECT_EQ(found[1].scalars->greatest, 0.5F);
}

TEST(TailLimits, OneElementContradictsWhatIsAllowed) {
  for (const double got : {0.125, 4.0}) {
    const Question question = fp32_question({1, 0}, {got, 0});
    ASSERT_EQ(question.fit(), TailFit::kRefuted);
    const std::vector<ElementLimits> found = question.limits();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].index, 0U);
    ASSERT_TRUE(found[0].scalars);
    EXPECT_EQ(found[0].scalars->least, static_cast<float>(got));
    EXPECT_EQ(found[0].scalars->greatest, static_cast<float>(got));
  }
}

TEST(TailLimits, NoScalarChangesASign) {
  const Question question = fp32_question({1, 1}, {0.5, -0.5});
  ASSERT_EQ(question.fit(), TailFit::kRefuted);
  const std::vector<ElementLimits> found = question.limits();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 1U);
  EXPECT_FALSE(found[0].scalars);
}

// r rounded to bf16, times 3: 3 and then 3 + 2^-5, as 3 + 1.5 2^-6 is a tie.
TEST(TailLimits, NoScalarGivesWhatTwoRoundingsSkip) {
  Question question;
  question.recipe.cast = CastPoint::kBeforeWeight;
  question.x = row_of(kBf16, {1});
  question.weight = row_of(kBf16, {3});
  question.got = row_of(kBf16, {3.015625});
  question.low = 0.5F;
  question.high = 2.0F;
  ASSERT_EQ(question.fit(), TailFit::kRefuted);
  const std::vector<ElementLimits> found = question.limits();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].scalars);
}

// Whether the scalar of this code gives the element.
bool gives(const Question& question, std::size_t index, std::uint32_t code) {
  Question one = question;
  one.x = row_of(*question.x.format, {to_binary64(question.x.at(0, index))});
  one.weight = row_of(*question.weight->format, {to_binary64(question.weight->at(0, index))});
  one.got = row_of(*question.got.format, {to_binary64(question.got.at(0, index))});
  one.low = one.high = std::bit_cast<float>(code);
  return one.fit() == TailFit::kReproduced;
}

// Tries the ends with their neighbours, and every 97th scalar of low .. high.
std::size_t expect_limits(const ElementLimits& limits, const Question& question) {
  const auto within = [&](std::uint32_t code) {
    const auto scalar = std::bit_cast<float>(code);
    return limits.scalars && limits.scalars->least <= scalar && scalar <= limits.scalars->greatest;
  };
  std::vector<std::uint32_t> codes;
  if (limits.scalars) {
    for (const float end : {limits.scalars->least, limits.scalars->greatest}) {
      const auto code = std::bit_cast<std::uint32_t>(end);
      for (const std::uint32_t near : {code - 1, code, code + 1}) codes.push_back(near);
    }
  }
  const auto last = std::bit_cast<std::uint32_t>(question.high);
  for (auto code = std::bit_cast<std::uint32_t>(question.low); code <= last; code += 97) {
    codes.push_back(code);
  }
  for (const std::uint32_t code : codes) {
    EXPECT_EQ(gives(question, limits.index, code), within(code)) << std::bit_cast<float>(code);
  }
  return codes.size();
}

TEST(TailLimits, AreThoseThatAWalkOverScalarsFinds) {
  const RandomStream random(1, "tail limits");
  std::uint64_t next = 0;
  int refuted = 0;
  int pairs = 0;
  std::size_t tried = 0;
  for (const Association association :
       {Association::kXrThenW, Association::kXTimesRw, Association::kXOverRmsW}) {
    for (int trial = 0; trial < 60; ++trial) {
      Question question;
      question.recipe.cast = trial % 2 == 0 ? CastPoint::kBeforeWeight : CastPoint::kAfterWeight;
      question.recipe.association = association;
      if (association == Association::kXOverRmsW) {
        question.recipe.root.kind = RootKind::kDivideBySqrt;
      }
      std::vector<double> x;
      std::vector<double> weight;
      std::vector<double> got;
      const double scalar = 1.0 + 0.5 * random.uniform(next++);
      for (int i = 0; i < 6; ++i) {
        x.push_back(random.normal(next++));
        weight.push_back(1 + 0.25 * random.normal(next++));
        const double r = association == Association::kXOverRmsW ? 1 / scalar : scalar;
        got.push_back(x.back() * weight.back() * r * (1 + 0x1p-11 * random.normal(next++)));
      }
      question.x = row_of(kFp16, x);
      question.weight = row_of(kFp16, weight);
      question.got = row_of(kFp16, got);
      question.low = static_cast<float>(scalar * (1 - 0x1p-9));
      question.high = static_cast<float>(scalar * (1 + 0x1p-9));
      if (question.fit() != TailFit::kRefuted) continue;
      ++refuted;
      const std::vector<ElementLimits> found = question.limits();
      ASSERT_FALSE(found.empty());
      for (const ElementLimits& limits : found) {
        tried += expect_limits(limits, question);
      }
      if (found.size() < 2) continue;
      ++pairs;
      EXPECT_GT(found[0].scalars->least, found[1].scalars->greatest);
    }
  }
  EXPECT_GT(refuted, 100);
  EXPECT_GT(pairs, 50);
  EXPECT_GT(tried, 30000U);
}

}  // namespace
}  // namespace normcert
