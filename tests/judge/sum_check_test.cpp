// residual_out against x + residual: sums worked out by hand.
#include "judge/sum_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "judge/hand_case.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

JudgedCase with_sum(const HandCase& hand, const Rows& sum, const FloatFormat& format) {
  JudgedCase judged;
  judged.value = case_of(hand);
  judged.observed = Outputs{};
  judged.observed->residual_out = tensor_of(sum, format);
  return judged;
}

// Of 8 significant bits: 1 + 2^-8 is a tie and rounds to 1, 1 + 3 2^-8 to 1 + 2^-6.
const HandCase kTies{.x = {{"1", "1"}, {"2", "-2"}},
                     .epsilon = "1",
                     .format = &kBf16,
                     .residual = {{"0x1p-8", "0x3p-8"}, {"-2", "0.5"}}};

TEST(SumCheck, SumsRoundedOnceAreRight) {
  const auto check =
      check_sum(with_sum(kTies, {{"1", "0x1.04p0"}, {"-0", "-1.5"}}, kBf16), nullptr);
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->elements, 4U);
  EXPECT_EQ(check->differing, 0U);
  EXPECT_FALSE(check->first.has_value());
}

TEST(SumCheck, OthersAreCountedAndTheFirstIsNamed) {
  const auto check = check_sum(with_sum(kTies, {{"1", "0x1.02p0"}, {"2", "-1.5"}}, kBf16), nullptr);
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->differing, 2U);
  ASSERT_TRUE(check->first.has_value());
  EXPECT_EQ(check->first->row, 0U);
  EXPECT_EQ(check->first->index, 1U);
  EXPECT_EQ(words_of(*check),
            "2 of 4 elements of residual_out are not x + residual, rounded once to bf16; the first "
            "in row 0, element 1: found 1.0078125, expected 1.015625 (x 1, residual 0.01171875)");
}

// A port may keep the sum as it is, or round it before it stores it; not one here, the other there.
TEST(SumCheck, AWiderTensorHoldsTheSumOrTheRoundedSum) {
  const auto differing = [](const Rows& sum) {
    return check_sum(with_sum(kTies, sum, kFp32), nullptr)->differing;
  };
  EXPECT_EQ(differing({{"0x1.01p0", "0x1.03p0"}, {"0", "-1.5"}}), 0U);
  EXPECT_EQ(differing({{"1", "0x1.04p0"}, {"0", "-1.5"}}), 0U);
  EXPECT_EQ(differing({{"0x1.01p0", "0x1.04p0"}, {"0", "-1.5"}}), 1U);
}

// A tie of bf16 that binary64 cannot tell from its neighbours: the sum is above it.
TEST(SumCheck, TinyAddendsDecideTies) {
  HandCase hand{.x = {{"0x1.01p0"}}, .epsilon = "1", .residual = {{"0x1p-100"}}};
  EXPECT_EQ(check_sum(with_sum(hand, {{"0x1.02p0"}}, kBf16), nullptr)->differing, 0U);
  EXPECT_EQ(check_sum(with_sum(hand, {{"1"}}, kBf16), nullptr)->differing, 1U);
  hand.residual = {{"-0x1p-100"}};
  EXPECT_EQ(check_sum(with_sum(hand, {{"1"}}, kBf16), nullptr)->differing, 0U);
  EXPECT_EQ(check_sum(with_sum(hand, {{"0x1.02p0"}}, kBf16), nullptr)->differing, 1U);
}

TEST(SumCheck, NonFiniteSums) {
  const HandCase hand{.x = {{"inf", "inf", "0x1.fep127", "nan"}},
                      .epsilon = "1",
                      .format = &kBf16,
                      .residual = {{"1", "-inf", "0x1.fep127", "1"}}};
  EXPECT_EQ(check_sum(with_sum(hand, {{"inf", "nan", "inf", "nan"}}, kBf16), nullptr)->differing,
            0U);
  EXPECT_EQ(
      check_sum(with_sum(hand, {{"-inf", "1", "0x1.fep127", "0"}}, kBf16), nullptr)->differing, 4U);
}

TEST(SumCheck, ASourceThatFlushesGivesZerosForSubnormalSums) {
  const HandCase hand{
      .x = {{"0x1p-130", "1"}}, .epsilon = "1", .format = &kBf16, .residual = {{"0x1p-130", "1"}}};
  const JudgedCase judged = with_sum(hand, {{"0", "2"}}, kBf16);
  Recipe source;
  EXPECT_EQ(check_sum(judged, &source)->differing, 1U);
  source.flush = FlushMode::kInputs;
  EXPECT_EQ(check_sum(judged, &source)->differing, 0U);
}

TEST(SumCheck, NothingToCheck) {
  JudgedCase judged = with_sum(kTies, {{"1", "1"}}, kBf16);  // of another shape
  EXPECT_FALSE(check_sum(judged, nullptr).has_value());
  judged.observed->residual_out.reset();
  EXPECT_FALSE(check_sum(judged, nullptr).has_value());
}

// The slow twin: integers.
TEST(SumCheck, AgreesWithTheRoundedReference) {
  constexpr std::size_t kWidth = 4096;
  const RandomStream random(9, "sums");
  std::size_t cases = 0;
  for (const FloatFormat* const inputs : {&kBf16, &kFp16, &kFp32}) {
    for (const FloatFormat* const output : {&kBf16, &kFp16, &kFp32}) {
      Tensor x(*inputs, 1, kWidth);
      Tensor residual(*inputs, 1, kWidth);
      for (std::size_t i = 0; i < kWidth; ++i) {
        const auto any = [&](std::size_t k) {
          return std::ldexp(random.normal(4 * i + k),
                            static_cast<int>(40 * random.uniform(4 * i + k + 2)) - 30);
        };
        x.set(0, i, convert(code_of(any(0)), *inputs));
        residual.set(0, i, convert(code_of(any(1)), *inputs));
      }
      JudgedCase judged;
      judged.value.x = std::move(x).share();
      judged.value.residual = std::move(residual).share();
      judged.value.output = output;
      judged.observed = Outputs{};
      Tensor sum = rounded_reference(judged.value, OutputTensor::kResidualOut);
      judged.observed->residual_out = sum.view();
      ASSERT_EQ(*judged.observed->residual_out->format, *output);
      EXPECT_EQ(check_sum(judged, nullptr)->differing, 0U);
      ++cases;
      // One step away differs, if it is not in a narrower format of an input what it was.
      if (output->precision > inputs->precision) continue;
      Tensor other(*output, 1, kWidth);
      for (std::size_t i = 0; i < kWidth; ++i) {
        const Code code = sum.view().at(0, i);
        other.set(0, i, i % 2 == 0 ? next_up(code) : next_down(code));
      }
      judged.observed->residual_out = other.view();
      EXPECT_EQ(check_sum(judged, nullptr)->differing, kWidth);
      ++cases;
    }
  }
  EXPECT_EQ(cases, 15U);
}

}  // namespace
}  // namespace normcert
