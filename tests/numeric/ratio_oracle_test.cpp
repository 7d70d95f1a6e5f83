// leading_bits of ratios and roots of BigDyadics against MPFR.
#include <gtest/gtest.h>

#include "numeric/mpfr_number.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

BigDyadic sample(const RandomStream& random, std::uint64_t index) {
  const std::uint64_t choice = random.bits(8 * index);
  BigDyadic value = BigDyadic::integer(1);
  for (std::uint64_t word = 0; word < choice % 5; ++word) {
    value = value.times_power_of_two(64) + BigDyadic::integer(random.bits(8 * index + 1 + word));
  }
  return value.times_power_of_two(static_cast<std::int64_t>(choice >> 32 & 0xfff) - 2048);
}

void expect_same(const LeadingBits& got, const MpfrNumber& truncated, bool inexact,
                 std::uint64_t index) {
  const LeadingBits expected = truncated.leading();
  ASSERT_EQ(got.top, expected.top) << index;
  ASSERT_EQ(got.exponent, expected.exponent) << index;
  ASSERT_EQ(got.sticky, inexact) << index;
}

// One truncated division of MPFR to 64 digits is the definition of the leading bits.
TEST(RatioOracle, Ratios) {
  const RandomStream random(1, "ratios");
  MpfrNumber n(400);
  MpfrNumber d(400);
  MpfrNumber quotient(64);
  std::uint64_t cases = 0;
  std::uint64_t exact = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    BigDyadic numerator = sample(random, 2 * i);
    const BigDyadic denominator = sample(random, 2 * i + 1);
    if (i % 8 == 0) {  // an exact ratio of at most 64 digits
      numerator = denominator * BigDyadic::integer(random.bits(i) >> i % 64);
      if (numerator.sign() == 0) continue;
    }
    n.set_exactly(numerator);
    d.set_exactly(denominator);
    const bool inexact = mpfr_div(quotient.get(), n.get(), d.get(), MPFR_RNDZ) != 0;
    exact += inexact ? 0 : 1;
    expect_same(leading_bits_of_ratio(numerator, denominator), quotient, inexact, i);
    ++cases;
  }
  EXPECT_GE(cases, 99990U);
  EXPECT_GE(exact, 12490U);
}

// Ratio and root to 2000 digits, both rounded down, then cut to 64: the error of 2^-1998 cannot
// reach a decision, because a root of such a rational number that is not itself one of 64 digits
// stays further away from them. Where ratio and root are exact MPFR says so.
TEST(RatioOracle, Roots) {
  const RandomStream random(1, "roots");
  MpfrNumber n(800);
  MpfrNumber d(800);
  MpfrNumber ratio(4000);
  MpfrNumber root(2000);
  MpfrNumber top(64);
  std::uint64_t cases = 0;
  std::uint64_t squares = 0;
  for (std::uint64_t i = 0; i < 40000; ++i) {
    BigDyadic numerator = sample(random, 2 * i);
    const BigDyadic denominator = sample(random, 2 * i + 1);
    if (i % 4 == 0) {  // a perfect square, and the closest neighbours of one
      const BigDyadic side = BigDyadic::integer(random.bits(i) | 1);
      numerator = denominator * side * side;
      const BigDyadic change = denominator.times_power_of_two(-120);
      if (i % 12 == 4) numerator += change;
      if (i % 12 == 8) numerator -= change;
    }
    n.set_exactly(numerator);
    d.set_exactly(denominator);
    const bool ratio_inexact = mpfr_div(ratio.get(), n.get(), d.get(), MPFR_RNDD) != 0;
    const bool root_inexact = mpfr_sqrt(root.get(), ratio.get(), MPFR_RNDD) != 0;
    const bool cut = mpfr_set(top.get(), root.get(), MPFR_RNDZ) != 0;
    const bool inexact = ratio_inexact || root_inexact || cut;
    squares += inexact ? 0 : 1;
    expect_same(leading_bits_of_root(numerator, denominator), top, inexact, i);
    ++cases;
  }
  EXPECT_EQ(cases, 40000U);
  EXPECT_GE(squares, 3300U);
}

}  // namespace
}  // namespace normcert
