// Results next to rounding midpoints, where every program that guesses a precision goes wrong.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "reference/mpfr_number.hpp"
#include "reference/oracle_check.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

// Sign of |y| - target, and their relative distance, both by MPFR. 0 where 4096 bits cannot tell
// them apart: y is the target.
struct Distance {
  int side = 0;
  double relative = 0;
};

Distance distance_of(const Case& row, std::size_t index, const BigDyadic& target) {
  const MpfrMagnitude y = MpfrRow(row, 0).element_at(index, 4096);
  const Mpfr aim = mpfr_of(target);
  if (mpfr_cmp(y.lower, aim) <= 0 && mpfr_cmp(y.upper, aim) >= 0) return {};
  return {mpfr_cmp(y.lower, aim), mpfr_relative_difference(y.lower, aim)};
}

class NextToMidpoint : public testing::TestWithParam<std::string> {};

TEST_P(NextToMidpoint, EveryOutputFormatBothSides) {
  constexpr int kRows = 150;
  const FloatFormat& input = *find_format(GetParam());
  RowSource source(7, input.name);
  Tally tally;
  for (const FloatFormat* const output : all_formats()) {
    int within = 0;
    int above = 0;
    int below = 0;
    double nearest = 1;
    for (int i = 0; i < kRows && !HasFailure(); ++i) {
      AimedRow aimed = source.next_to_midpoint(input, *output);
      const double epsilon = aimed.numbers.epsilon;
      for (const double other :
           {std::nextafter(epsilon, 0), epsilon, std::nextafter(epsilon, 2 * epsilon)}) {
        aimed.numbers.epsilon = other;
        const Case row = built_case(aimed.numbers);
        OracleCheck(row, tally).element(aimed.index);
        const Distance distance = distance_of(row, aimed.index, aimed.target);
        if (distance.side == 0 || distance.relative > 0x1p-60) continue;
        ++within;
        nearest = std::min(nearest, distance.relative);
        above += distance.side > 0 ? 1 : 0;
        below += distance.side < 0 ? 1 : 0;
      }
    }
    std::cout << input.name << " to " << output->name << ": " << within << " results within 2^-60, "
              << above << " above, " << below << " below, nearest 2^" << std::log2(nearest) << '\n';
    EXPECT_GE(within, 2 * kRows) << output->name;
    EXPECT_GE(above, kRows / 2) << output->name;
    EXPECT_GE(below, kRows / 2) << output->name;
  }
  tally.print(std::cout);
  EXPECT_EQ(tally.elements, kRows * 3 * kOutputFormats);
  for (const FormatTally& format : tally.format) {
    EXPECT_GT(format.subnormal, 30U);
    EXPECT_GT(format.overflow, 5U);
  }
}

INSTANTIATE_TEST_SUITE_P(ExactRow, NextToMidpoint, testing::Values("fp64", "fp32", "bf16", "fp16"),
                         [](const auto& format) { return format.param; });

// A row (1, 0, ..., 0) of width n gives y = g sqrt(n). The convergents h/g of the continued
// fraction of sqrt(n) are the numbers for which g sqrt(n) lies nearest to the integer h, by turns
// on either side; where h is odd with one digit more than the format has, h is a midpoint, and no
// gain of its size comes nearer.
TEST(ExactRowMidpoint, ConvergentsOfSquareRoots) {
  struct Aim {
    const FloatFormat* format;
    double limit;
  };
  // |g sqrt(n) / h - 1| < 1 / (2 g^2 sqrt(n)), n < 600.
  for (const auto& [format, limit] : {Aim{&kFp64, 0x1p-98}, Aim{&kFp32, 0x1p-40}}) {
    Tally tally;
    int found = 0;
    int above = 0;
    for (std::uint64_t n = 2; n < 600; ++n) {
      const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
      if (root * root == n) continue;
      const std::uint64_t midpoint_least = std::uint64_t{1} << format->precision;
      std::uint64_t m = 0, d = 1, a = root;
      std::uint64_t h = root, h_before = 1, g = 1, g_before = 0;
      while (h < 2 * midpoint_least) {
        if (h >= midpoint_least && h % 2 == 1 && g < std::uint64_t{1} << 53) {
          RowNumbers numbers{.format = &kFp64,
                             .x = std::vector<double>(n, 0.0),
                             .weight = std::vector<double>(n, static_cast<double>(g)),
                             .weight_format = &kFp64,
                             .epsilon = 0};
          numbers.x[n / 2] = 1;
          const Case row = built_case(numbers);
          OracleCheck(row, tally).element(n / 2);
          const Distance distance = distance_of(row, n / 2, BigDyadic::integer(h));
          EXPECT_LT(distance.relative, limit) << "n " << n << ", gain " << g;
          const auto sides = round({false, distance.side > 0 ? h : h - 1, 0}, *format,
                                   {RoundingMode::kAwayFromZero});
          EXPECT_TRUE(same_bits(ExactRow(row, 0).element(n / 2).rounded(*format),
                                distance.side > 0
                                    ? sides
                                    : round({false, h, 0}, *format, {RoundingMode::kTowardZero})));
          ++found;
          above += distance.side > 0 ? 1 : 0;
        }
        m = d * a - m;
        d = (n - m * m) / d;
        a = (root + m) / d;
        const std::uint64_t h_next = a * h + h_before;
        const std::uint64_t g_next = a * g + g_before;
        h_before = h;
        g_before = g;
        h = h_next;
        g = g_next;
      }
    }
    std::cout << format->name << ": " << found << " convergents, " << above << " above\n";
    EXPECT_GT(found, 100);
    EXPECT_GT(above, 30);
    EXPECT_GT(found - above, 30);
  }
}

// Nearer than any fixed precision: epsilon 2^-1074 beside x = 2^500 puts 257 a factor 1 - 2^-2075
// off a tie of bfloat16.
TEST(ExactRowMidpoint, NearerThan256Bits) {
  for (const int exponent : {-500, -400, 0, 500}) {
    const double x = std::ldexp(1.0, exponent);
    RowNumbers numbers{.format = &kFp64,
                       .x = {x, -x, x},
                       .weight = {257, 259, 1},
                       .weight_format = &kFp64,
                       .epsilon = 0x1p-1074};
    const Case row = built_case(numbers);
    Tally tally;
    OracleCheck(row, tally).all_elements();
    EXPECT_EQ(tally.wide_beyond, exponent == -500 ? 0U : 3U);
    const ExactRow exact(row, 0);
    EXPECT_EQ(exact.element(0).rounded(kBf16).bits, 0x4380U);  // 256, not above
    EXPECT_EQ(exact.element(1).rounded(kBf16).bits, 0xc381U);  // -258: without epsilon it is -260
    EXPECT_EQ(exact.element(2).rounded(kFp64, {RoundingMode::kTowardZero}).bits,
              0x3fefffffffffffffU);  // just below 1
  }
}

// x = (5, 0, ..., 0) of width 9 has q = 25/9 and y = 3 g. Where 3 g is a tie no ball and no
// floating enclosure of any precision decides it, for neither 25/9 nor 9/25 is ever exact; the
// integers do.
TEST(ExactRowMidpoint, OnlyIntegersDecideTies) {
  std::size_t asked = 0;
  for (const FloatFormat* const format : all_formats()) {
    // 3 g = 2^p + 3 or 2^p + 1, whichever is a multiple of 3, and the next one: p + 1 digits, odd.
    std::uint64_t tie = (std::uint64_t{1} << format->precision) + 1;
    while (tie % 3 != 0) tie += 2;
    for (int k = 0; k < 2; ++k, tie += 6) {
      if (tie >= std::uint64_t{2} << format->precision) continue;  // 3 digits hold only one of them
      RowNumbers numbers{.format = &kFp32,
                         .x = {0, 0, 5, 0, 0, 0, 0, 0, 0},
                         .weight = std::vector<double>(9, static_cast<double>(tie / 3)),
                         .weight_format = &kFp64,
                         .epsilon = 0};
      const Case row = built_case(numbers);
      ArbRow arb(row, 0);
      const MpfrRow mpfr(row, 0);
      for (slong precision = 64; precision <= 65536; precision *= 4) {
        EXPECT_FALSE(arb_rounding(arb.element(2, precision), *format)) << precision;
        const MpfrMagnitude y = mpfr.element_at(2, precision);
        EXPECT_LT(mpfr_cmp_ui(y.lower, tie), 0);
        EXPECT_GT(mpfr_cmp_ui(y.upper, tie), 0);
        ++asked;
      }
      const RootOfRatio value = ExactRow(row, 0).element(2);
      EXPECT_EQ(value.compare_to(BigDyadic::integer(tie)), 0);
      EXPECT_FALSE(value.leading().sticky);
      const std::uint64_t even = (tie / 2) % 2 == 0 ? tie - 1 : tie + 1;
      EXPECT_EQ(plain_value(value.rounded(*format)), static_cast<double>(even));
      EXPECT_EQ(plain_value(value.rounded(*format, {RoundingMode::kTowardZero})),
                static_cast<double>(tie - 1));
      EXPECT_EQ(plain_value(value.rounded(*format, {RoundingMode::kAwayFromZero})),
                static_cast<double>(tie + 1));
      Tally tally;
      OracleCheck(row, tally).element(2);
      EXPECT_EQ(tally.arb_never, 1U);
    }
  }
  EXPECT_GE(asked, 13U * 6U);
}

}  // namespace
}  // namespace normcert
