// A row's error as one common factor and the rest, on rows with hand-computed sums.
#include "judge/row_factor.hpp"

#include <gtest/gtest.h>

#include "judge/hand_case.hpp"

namespace normcert {
namespace {

TEST(RowFactor, OneFactorForTheWholeRowIsCoherent) {
  for (const FloatFormat* format : {&kFp64, &kFp32, &kFp16}) {
    const Comparison c = compared(eighths(*format), {{"0.15625", "1.09375"}});  // 1.25 times
    ASSERT_TRUE(c.coherent.any);
    EXPECT_EQ(c.coherent.value, 0.25);
    EXPECT_EQ(c.incoherent.value, 0);
  }
}

TEST(RowFactor, TheRestIsIncoherent) {
  // e = (0, 1/8), y = (1/8, 7/8): k - 1 = (7/64) / (50/64) = 0.14; the rest is (-0.0175, 0.0025),
  // whose square over 50/64 is 0.0004.
  const Comparison c = compared(eighths(kFp32), {{"0.125", "1"}});
  EXPECT_NEAR(c.coherent.value, 0.14, 1e-12);
  EXPECT_NEAR(c.incoherent.value, 0.02, 1e-12);
}

TEST(RowFactor, TheGreatestOfTheRowsAndTheFirstAmongEquals) {
  const Comparison c =
      compared(eighths(kFp32, 4),
               {{"0.125", "0.875"}, {"0.0625", "0.4375"}, {"0.1875", "1.3125"}, {"0.125", "1"}});
  EXPECT_EQ(c.coherent.value, 0.5);  // of either sign
  EXPECT_EQ(c.coherent.row, 1U);
  EXPECT_EQ(c.incoherent.row, 3U);
}

TEST(RowFactor, UndefinedForZeroRowsAndNonFiniteOutputs) {
  EXPECT_FALSE(compared({.x = {{"0", "0"}}, .epsilon = "1"}, {{"0", "1"}}).coherent.any);
  EXPECT_FALSE(compared(eighths(kFp32), {{"0.125", "inf"}}).coherent.any);
  EXPECT_FALSE(compared(eighths(kFp32), {{"nan", "0.875"}}).incoherent.any);
}

TEST(RowFactor, ScaleDoesNotMatter) {
  // Outputs near the ends of binary64: squares of them would over- or underflow.
  for (const char* gain : {"0x1p+1000", "0x1p-1020"}) {
    const Case value = case_of({.x = {{"1", "7"}},
                                .epsilon = "39",
                                .format = &kFp64,
                                .weight = {gain, gain},
                                .weight_format = &kFp64});
    const bool is_large = gain[4] == '+';
    const Comparison c = compared(value, {{is_large ? "0x1.4p+997" : "0x1.4p-1023",
                                           is_large ? "0x1.18p+1000" : "0x1.18p-1020"}});
    EXPECT_EQ(c.coherent.value, 0.25) << gain;
    EXPECT_EQ(c.incoherent.value, 0) << gain;
  }
}

TEST(RowFactor, AnExactSumFarFromOneCountsAsMuchWhateverItsExponent) {
  // y = (2^1007, 4), a = (0, -4): e = (-2^1007, -8), k - 1 = -1. The exponent of such a sum is 0,
  // its size stands in the number itself.
  RowFactor factor;
  const Code zero{0, &kFp64};
  factor.add(zero, ScaledDoubleDouble{0x1p+1007, 0, 0});
  factor.add(Code{0xC010000000000000U, &kFp64}, ScaledDoubleDouble{4, 0, 0});
  Comparison c;
  factor.finish(3, c);
  ASSERT_TRUE(c.coherent.any);
  EXPECT_EQ(c.coherent.value, 1);
  EXPECT_EQ(c.coherent.row, 3U);
}

}  // namespace
}  // namespace normcert
