// Rows whose exact results are fractions that can be worked out by hand.
#include "judge/exact_compare.hpp"

#include <gtest/gtest.h>

#include <string>

#include "judge/hand_case.hpp"
#include "numeric/decimal.hpp"

namespace normcert {
namespace {

double value(const ErrorMaximum& maximum) {
  EXPECT_TRUE(maximum.any);
  return maximum.value.to_binary64();
}

TEST(ExactCompare, ExactOutputsHaveNoErrorAtAll) {
  for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    const Comparison c = compared(eighths(*format), {{"0.125", "0.875"}});
    EXPECT_EQ(c.expected, 2U);
    EXPECT_EQ(c.compared, 2U);
    EXPECT_EQ(c.correctly_rounded, 2U);
    EXPECT_EQ(c.faithful, 2U);
    EXPECT_EQ(c.code_distance.count(0), 2U);
    EXPECT_EQ(c.below_normal, 0U);
    EXPECT_EQ(value(c.absolute), 0);
    EXPECT_EQ(value(c.relative), 0);
    EXPECT_EQ(value(c.ulp), 0);
    EXPECT_EQ(c.ulp.witness.index, 0U);
  }
}

TEST(ExactCompare, OneCodeBesideAnExactResult) {
  // 7/8 lies in [1/2, 1): binary32 has the spacing 2^-24 there.
  const Comparison c = compared(eighths(kFp32), {{"0.125", "0x1.c00002p-1"}});
  EXPECT_EQ(value(c.absolute), 0x1p-24);
  EXPECT_EQ(value(c.relative), 0x1p-21 / 7);  // 2^-24 / (7/8)
  EXPECT_EQ(value(c.ulp), 1);
  EXPECT_EQ(c.correctly_rounded, 1U);
  EXPECT_EQ(c.faithful, 1U);  // an exact result that is a number has no other neighbour
  EXPECT_EQ(c.code_distance.count(1), 1U);
  const Witness& w = c.ulp.witness;
  EXPECT_EQ(w.index, 1U);
  EXPECT_EQ(hex_text(w.x), "0x1.cp+2");
  EXPECT_EQ(hex_text(w.got), "0x1.c00002p-1");
  EXPECT_EQ(w.exact.scientific(40), "8.750000000000000000000000000000000000000e-01");
  EXPECT_FALSE(w.weight);
  EXPECT_FALSE(w.residual);
}

TEST(ExactCompare, FifthsOfARowOfRmsFive) {
  // (1, 7) has the RMS 5: the exact result is (1/5, 7/5), and epsilon is 0.
  const HandCase hand{.x = {{"1", "7"}}, .epsilon = "0", .format = &kFp64};
  const Comparison c = compared(hand, {{"0.2", "1.4"}});
  EXPECT_EQ(c.correctly_rounded, 2U);
  // 0.2 is 0x1.999999999999ap-3, 0.4 units of 2^-55 above 1/5; 1.4 is 0.4 units of 2^-52 below 7/5.
  const Comparison first = compared(
      {.x = {{"1", "7"}}, .epsilon = "0", .weight = {"1", "0"}, .output = &kFp64}, {{"0.2", "0"}});
  EXPECT_EQ(value(first.absolute), 0.4 * 0x1p-55);
  EXPECT_EQ(value(first.ulp), 0.4);
  EXPECT_EQ(value(first.relative), 0x1p-54);  // (2/5) 2^-55 / (1/5)
  EXPECT_EQ(value(c.absolute), 0.4 * 0x1p-52);
  EXPECT_EQ(c.absolute.witness.index, 1U);
  // The numbers on the other side of 1/5 and 7/5: faithful, not correctly rounded, 0.6 ulp.
  const Comparison other = compared(hand, {{"0x1.9999999999999p-3", "0x1.6666666666667p+0"}});
  EXPECT_EQ(other.correctly_rounded, 0U);
  EXPECT_EQ(other.faithful, 2U);
  EXPECT_EQ(other.code_distance.count(1), 2U);
  EXPECT_EQ(value(other.ulp), 0.6);
  // One further: neither.
  const Comparison further = compared(hand, {{"0x1.9999999999998p-3", "0x1.6666666666668p+0"}});
  EXPECT_EQ(further.faithful, 0U);
  EXPECT_EQ(further.code_distance.count(2), 2U);
  EXPECT_EQ(value(further.ulp), 1.6);
}

TEST(ExactCompare, SevenSixthsInBfloat16) {
  // sqrt(25 + 11) = 6. 7/6 = 1 + (21 1/3)/128, 1/6 = (1 + (42 2/3)/128)/8.
  const HandCase hand{.x = {{"1", "7"}}, .epsilon = "11", .format = &kBf16};
  const Comparison c = compared(hand, {{"0x1.56p-3", "0x1.2ap+0"}});
  EXPECT_EQ(c.correctly_rounded, 2U);
  const Comparison off = compared(hand, {{"0x1.54p-3", "0x1.2ap+0"}});
  EXPECT_EQ(value(off.ulp), 2.0 / 3);
  EXPECT_EQ(off.ulp.witness.index, 0U);
  EXPECT_EQ(off.faithful, 2U);
  EXPECT_EQ(off.correctly_rounded, 1U);
  EXPECT_EQ(value(off.absolute), 1.0 / 384);  // that of 7/6: a third of 1/128
  EXPECT_EQ(off.absolute.witness.index, 1U);
}

TEST(ExactCompare, TheGainIsPartOfTheExactResult) {
  Case negative = case_of({.x = {{"1", "7"}}, .epsilon = "39", .weight = {"-8", "0.5"}});
  EXPECT_EQ(compared(negative, {{"-1", "0.4375"}}).correctly_rounded, 2U);
  negative.weight_offset = {"1", 1};
  EXPECT_EQ(compared(negative, {{"-0.875", "1.3125"}}).correctly_rounded, 2U);
  const Comparison c = compared(negative, {{"0.875", "1.3125"}});
  EXPECT_EQ(value(c.absolute), 1.75);
  EXPECT_EQ(value(c.relative), 2);
  EXPECT_EQ(hex_text(c.absolute.witness.weight.value()), "-0x1p+3");
}

TEST(ExactCompare, SubnormalResults) {
  // In binary16 2^-16 and 1.75 x 2^-24 are below 2^-14: spacing 2^-24, no relative error.
  const HandCase hand{
      .x = {{"1", "7"}}, .epsilon = "39", .format = &kFp16, .weight = {"0x1p-13", "0x1p-23"}};
  const Comparison right = compared(hand, {{"0x1p-16", "0x1p-23"}});
  EXPECT_EQ(right.correctly_rounded, 2U);
  EXPECT_EQ(right.below_normal, 2U);
  EXPECT_FALSE(right.relative.any);
  EXPECT_EQ(value(right.ulp), 0.25);
  EXPECT_EQ(value(right.absolute), 0x1p-26);
  const Comparison wrong = compared(hand, {{"0x1.01p-16", "0x1p-24"}});
  EXPECT_EQ(wrong.correctly_rounded, 0U);
  EXPECT_EQ(wrong.faithful, 1U);  // 2^-24 and 2^-23 enclose 1.75 x 2^-24
  EXPECT_EQ(value(wrong.ulp), 1);
  EXPECT_EQ(wrong.ulp.witness.index, 0U);
  EXPECT_EQ(wrong.code_distance.count(1), 2U);
}

TEST(ExactCompare, BelowNormalEndsAtTheLeastNormalNumber) {
  // 2^-14 exactly is normal, 7/8 of it is not.
  const HandCase hand{
      .x = {{"1", "7"}}, .epsilon = "39", .format = &kFp16, .weight = {"0x1p-11", "0x1p-14"}};
  const Comparison c = compared(hand, {{"0x1.004p-14", "0x1.cp-15"}});
  EXPECT_EQ(c.below_normal, 1U);
  EXPECT_EQ(value(c.relative), 0x1p-10);
  EXPECT_EQ(c.relative.witness.index, 0U);
}

TEST(ExactCompare, ResultsThatRoundToZero) {
  // 2^-27 in binary16: half of the least number is 2^-25.
  const HandCase hand{
      .x = {{"1", "7"}}, .epsilon = "39", .format = &kFp16, .weight = {"0x1p-24", "-0x1p-27"}};
  const Comparison c = compared(hand, {{"0", "0"}});
  EXPECT_EQ(c.correctly_rounded, 2U);
  EXPECT_EQ(c.zero_sign_differs, 1U);  // the second one is negative: -0
  EXPECT_EQ(value(c.ulp), 0.125);
  EXPECT_EQ(c.below_normal, 2U);
}

TEST(ExactCompare, SignedZeros) {
  const HandCase hand{.x = {{"0", "-0", "3", "5"}}, .epsilon = "0.5"};
  const Comparison right = compared(hand, {{"0", "-0", "1", "1.6666666666666667"}});
  EXPECT_EQ(right.zero_sign_differs, 0U);
  const Comparison wrong = compared(hand, {{"-0", "0", "1", "1.6666666666666667"}});
  EXPECT_EQ(wrong.zero_sign_differs, 2U);
  EXPECT_EQ(wrong.correctly_rounded, 4U);
  EXPECT_EQ(wrong.faithful, 4U);
  EXPECT_EQ(wrong.code_distance.count(0), 4U);
  EXPECT_EQ(wrong.below_normal, 2U);
}

TEST(ExactCompare, OverflowsOfBinary16) {
  // (2^14, 7 x 2^14): 114688 rounds to infinity, the greatest number is 65504.
  const HandCase hand{
      .x = {{"1", "7"}}, .epsilon = "39", .format = &kFp16, .weight = {"0x1p+17", "0x1p+17"}};
  const Comparison right = compared(hand, {{"16384", "inf"}}, within(1, 0));
  EXPECT_EQ(right.non_finite.reference, 1U);
  EXPECT_EQ(right.non_finite.got, 1U);
  EXPECT_EQ(right.non_finite.disagree, 0U);
  EXPECT_EQ(right.correctly_rounded, 2U);
  EXPECT_EQ(right.code_distance.count(0), 2U);
  EXPECT_EQ(right.outside_tolerance, 0U);
  EXPECT_EQ(right.unattainable, 1U);
  EXPECT_EQ(value(right.absolute), 0);  // of the finite one

  const Comparison saturated = compared(hand, {{"16384", "65504"}}, within(1, 0));
  EXPECT_EQ(saturated.non_finite.reference, 1U);
  EXPECT_EQ(saturated.non_finite.got, 0U);
  EXPECT_EQ(saturated.non_finite.disagree, 1U);
  EXPECT_EQ(saturated.faithful, 1U);
  EXPECT_EQ(saturated.code_distance.count(1), 1U);
  EXPECT_EQ(value(saturated.absolute), 114688 - 65504);
  EXPECT_EQ(value(saturated.ulp), (114688 - 65504) / 64.0);  // spacing 2^(16 - 10)
  EXPECT_EQ(saturated.outside_tolerance, 1U);

  const Comparison other_sign = compared(hand, {{"16384", "-inf"}}, within(1, 0));
  EXPECT_EQ(other_sign.non_finite.disagree, 1U);
  EXPECT_EQ(other_sign.correctly_rounded, 1U);
  EXPECT_EQ(other_sign.outside_tolerance, 1U);
}

TEST(ExactCompare, OneWrongWayOfBeingNotFinite) {
  const HandCase hand = eighths(kFp32);
  for (const char* wrong : {"nan", "inf", "-inf"}) {
    const Comparison c = compared(hand, {{"0.125", wrong}}, within(1e30, 1e30));
    EXPECT_EQ(c.compared, 2U) << wrong;
    EXPECT_EQ(c.non_finite.reference, 0U) << wrong;
    EXPECT_EQ(c.non_finite.got, 1U) << wrong;
    EXPECT_EQ(c.non_finite.disagree, 1U) << wrong;
    EXPECT_EQ(c.correctly_rounded, 1U) << wrong;
    EXPECT_EQ(c.faithful, 1U) << wrong;
    EXPECT_EQ(c.outside_tolerance, 1U) << wrong;  // no limit is wide enough for them
    EXPECT_EQ(value(c.absolute), 0) << wrong;     // of what could be measured
  }
  std::uint64_t counted = 0;
  const Comparison nan = compared(hand, {{"0.125", "nan"}});
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    counted += nan.code_distance.count(i);
  }
  EXPECT_EQ(counted, 1U);  // NaN has no place in the order of values
}

TEST(ExactCompare, ToleranceAtExactEquality) {
  // |0.9375 - 0.875| = 2^-4 = rtol |exact| for rtol = 1/14, not a binary number; atol is one.
  const Rows got = {{"0.125", "0.9375"}};
  const HandCase hand = eighths(kFp32);
  EXPECT_EQ(compared(hand, got, within(0x1p-4, 0)).outside_tolerance, 0U);
  const Comparison outside = compared(hand, got, within(0x1.fffffffffffffp-5, 0));
  EXPECT_EQ(outside.outside_tolerance, 1U);
  EXPECT_EQ(outside.first_outside.value().index, 1U);
  EXPECT_EQ(hex_text(outside.first_outside.value().got), "0x1.ep-1");
  // 2^-4 = 2^-5 + rtol 7/8 for rtol = 1/28; of powers of two: 0.875 -> 1 is 1/8 = rtol 7/8 + 1/64.
  EXPECT_EQ(compared(hand, {{"0.125", "1"}}, within(0x1p-6, 0.125)).outside_tolerance, 0U);
  EXPECT_EQ(compared(hand, {{"0.125", "1"}}, within(0x1.fffffffffffffp-7, 0.125)).outside_tolerance,
            1U);
  // Below: 0.875 - 0.109375 - 1/64 = 0.75.
  EXPECT_EQ(compared(hand, {{"0.125", "0.75"}}, within(0x1p-6, 0.125)).outside_tolerance, 0U);
  EXPECT_EQ(compared(hand, {{"0.125", "0x1.7ffffep-1"}}, within(0x1p-6, 0.125)).outside_tolerance,
            1U);
}

TEST(ExactCompare, LimitsThatNoOutputCanMeetAreForgiven) {
  const HandCase hand{.x = {{"1", "7"}}, .epsilon = "0", .format = &kBf16};
  // 1/5 and 7/5 are no bfloat16 numbers: with limits of 0 the nearest ones are forgiven.
  const Comparison right = compared(hand, {{"0.2", "1.4"}}, within(0, 0));
  EXPECT_EQ(right.unattainable, 2U);
  EXPECT_EQ(right.outside_tolerance, 0U);
  EXPECT_FALSE(right.first_outside);
  const Comparison wrong = compared(hand, {{"0x1.98p-3", "1.4"}}, within(0, 0));
  EXPECT_EQ(wrong.unattainable, 1U);
  EXPECT_EQ(wrong.outside_tolerance, 1U);
  EXPECT_EQ(wrong.first_outside.value().index, 0U);
}

TEST(ExactCompare, MaxUlpCountsWhatIsFurther) {
  const Rows got = {{"0x1.000004p-3", "0x1.c00006p-1"}};  // 2 and 3 ulp
  EXPECT_EQ(compared(eighths(kFp32), got, within_ulp(1.5)).beyond_max_ulp, 2U);
  EXPECT_EQ(compared(eighths(kFp32), got, within_ulp(2)).beyond_max_ulp, 1U);
  EXPECT_EQ(compared(eighths(kFp32), got, within_ulp(3)).beyond_max_ulp, 0U);
  EXPECT_EQ(compared(eighths(kFp32), got).beyond_max_ulp, 0U);
}

TEST(ExactCompare, ResidualOutIsTheSum) {
  const Case value =
      case_of({.x = {{"0.5", "3"}}, .epsilon = "39", .format = &kFp16, .residual = {{"0.5", "4"}}});
  const auto judge = [&](const Rows& got) {
    return compare_exactly(value, OutputTensor::kResidualOut, tensor_of(got, kFp16), {}, 0, 1);
  };
  EXPECT_EQ(judge({{"1", "7"}}).correctly_rounded, 2U);
  const Comparison wrong = judge({{"1", "7.0078125"}});
  EXPECT_EQ(wrong.correctly_rounded, 1U);
  EXPECT_EQ(wrong.absolute.value.to_binary64(), 0x1p-7);
  EXPECT_EQ(wrong.ulp.value.to_binary64(), 2);
  EXPECT_EQ(hex_text(wrong.ulp.witness.residual.value()), "0x1p+2");
  EXPECT_EQ(compared(value, {{"0.125", "0.875"}}).correctly_rounded, 2U);  // y of the same case

  // The sum is rounded once: 2048 + 1 in binary16 is a tie, which goes to even.
  const Case tie = case_of(
      {.x = {{"2048", "-2048"}}, .epsilon = "1", .format = &kFp16, .residual = {{"1", "-1"}}});
  EXPECT_EQ(compare_exactly(tie, OutputTensor::kResidualOut, tensor_of({{"2048", "-2048"}}, kFp16),
                            {}, 0, 1)
                .correctly_rounded,
            2U);
  EXPECT_EQ(hex_text(rounded_reference(tie, OutputTensor::kResidualOut).at(0, 1)), "-0x1p+11");
}

TEST(ExactCompare, RowsWithNonFiniteInputsAreSetApart) {
  for (const char* bad : {"nan", "inf", "-inf"}) {
    HandCase hand = eighths(kFp32, 3);
    hand.x[1] = {bad, "1"};
    const Comparison c =
        compared(hand, {{"0.125", "0.875"}, {"5", "nan"}, {"0.125", "0.875"}}, within(0, 0));
    EXPECT_EQ(c.rows_set_apart, 1U) << bad;
    EXPECT_EQ(c.expected, 6U) << bad;
    EXPECT_EQ(c.compared, 4U) << bad;
    EXPECT_EQ(c.correctly_rounded, 4U) << bad;
    EXPECT_EQ(c.non_finite.got, 0U) << bad;
    EXPECT_EQ(c.outside_tolerance, 0U) << bad;
    EXPECT_TRUE(is_nan(rounded_reference(case_of(hand), OutputTensor::kY).at(1, 1))) << bad;
  }
  HandCase residual = eighths(kFp32, 2);
  residual.residual = {{"0", "0"}, {"0", "inf"}};
  EXPECT_TRUE(row_is_finite(case_of(residual), 0));
  EXPECT_FALSE(row_is_finite(case_of(residual), 1));
}

TEST(ExactCompare, AnOutputOfAnotherFormatIsJudgedInItsOwn) {
  const Case value = case_of(eighths(kBf16));
  const Comparison c = compare_exactly(value, OutputTensor::kY,
                                       tensor_of({{"0.125", "0x1.c00002p-1"}}, kFp32), {}, 0, 1);
  EXPECT_EQ(c.ulp.value.to_binary64(), 1);  // of binary32
}

}  // namespace
}  // namespace normcert
