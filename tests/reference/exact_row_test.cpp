// Values that can be checked by hand.
#include "reference/exact_row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "numeric/rounding.hpp"
#include "reference/built_case.hpp"
#include "reference/directed_rows.hpp"
#include "reference/four_squares.hpp"

namespace normcert {
namespace {

constexpr RoundingRule kDown{.mode = RoundingMode::kTowardZero};
constexpr RoundingRule kAway{.mode = RoundingMode::kAwayFromZero};

// Sign of the value minus a / b.
int against(const RootOfRatio& value, std::uint64_t a, std::uint64_t b) {
  return value.compare_to_ratio(BigDyadic::integer(a), BigDyadic::integer(b));
}

TEST(ExactRow, MeanSquare25) {
  const Case row = built_case({.format = &kFp32, .x = {1, 7}, .epsilon = 0});
  const ExactRow exact(row, 0);
  EXPECT_EQ(exact.width(), 2U);
  EXPECT_EQ(exact.mean_square().to_binary64(), 25.0);
  const RootOfRatio fifth = exact.element(0);
  const RootOfRatio seven_fifths = exact.element(1);
  EXPECT_EQ(against(fifth, 1, 5), 0);
  EXPECT_EQ(against(seven_fifths, 7, 5), 0);
  EXPECT_TRUE(same_bits(fifth.rounded(kFp64), code_of(0.2)));
  EXPECT_TRUE(same_bits(seven_fifths.rounded(kFp64), code_of(1.4)));
  EXPECT_TRUE(same_bits(fifth.rounded(kFp32), code_of(0.2F)));
  EXPECT_TRUE(same_bits(seven_fifths.rounded(kFp32), code_of(1.4F)));
  EXPECT_EQ(fifth.rounded(kTf32).bits, 0x1f266U);
  EXPECT_EQ(seven_fifths.rounded(kTf32).bits, 0x1fd9aU);
  EXPECT_EQ(fifth.rounded(kBf16).bits, 0x3e4dU);
  EXPECT_EQ(seven_fifths.rounded(kBf16).bits, 0x3fb3U);
  EXPECT_EQ(fifth.rounded(kFp16).bits, 0x3266U);
  EXPECT_EQ(seven_fifths.rounded(kFp16).bits, 0x3d9aU);
  EXPECT_EQ(fifth.rounded(kFp8E4m3fn).bits, 0x25U);
  EXPECT_EQ(seven_fifths.rounded(kFp8E4m3fn).bits, 0x3bU);
  EXPECT_EQ(fifth.rounded(kFp8E5m2).bits, 0x32U);
  EXPECT_EQ(seven_fifths.rounded(kFp8E5m2).bits, 0x3eU);
  EXPECT_EQ(against(exact.attenuation(), 1, 1), 0);
  EXPECT_EQ(against(exact.output_rms(), 1, 1), 0);
}

// Gains 5 m give y = m and 7 m; m of one digit more than the format has is a tie.
TEST(ExactRow, TiesGoToEven) {
  const auto bf16 = [](double gain, std::size_t index, RoundingRule rule) {
    const Case row =
        built_case({.format = &kFp32, .x = {1, 7}, .weight = {gain, gain}, .epsilon = 0});
    return to_binary64(ExactRow(row, 0).element(index).rounded(kBf16, rule));
  };
  EXPECT_EQ(bf16(5 * 257, 0, {}), 256);
  EXPECT_EQ(bf16(5 * 257, 0, kDown), 256);
  EXPECT_EQ(bf16(5 * 257, 0, kAway), 258);
  EXPECT_EQ(bf16(5 * 259, 0, {}), 260);
  EXPECT_EQ(bf16(-5 * 259, 0, {}), -260);
  EXPECT_EQ(bf16(-5 * 257, 0, kAway), -258);
  EXPECT_EQ(bf16(5 * 37, 1, {}), 260);  // 259 again
  // The overflow threshold of binary16, 65520 = 2^16 - 2^4, is a tie that goes to infinity.
  const Case row =
      built_case({.format = &kFp32, .x = {1, 7}, .weight = {327600, 46800}, .epsilon = 0});
  for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
    const RootOfRatio threshold = ExactRow(row, 0).element(index);
    EXPECT_EQ(against(threshold, 65520, 1), 0);
    EXPECT_EQ(threshold.rounded(kFp16).bits, 0x7c00U);
    EXPECT_EQ(threshold.rounded(kFp16, kDown).bits, 0x7bffU);
    EXPECT_EQ(threshold.rounded(kFp16, {.overflow = OverflowRule::kSaturate}).bits, 0x7bffU);
  }
}

TEST(ExactRow, EpsilonIsPartOfTheMean) {
  const Case row = built_case({.format = &kFp32, .x = {3, 4}, .weight = {2, -5}, .epsilon = 12.5});
  const ExactRow exact(row, 0);  // q + epsilon = 12.5 + 12.5
  EXPECT_EQ(against(exact.element(0), 6, 5), 0);
  EXPECT_EQ(exact.element(1).compare_to(BigDyadic(-4.0)), 0);
  EXPECT_TRUE(exact.element(1).negative());
  // A^2 = 1/2, and the mean of the squared outputs (36/25 + 16) / 2 = 218/25.
  EXPECT_TRUE(same_bits(exact.attenuation().rounded(kFp64), code_of(std::sqrt(0.5))));
  EXPECT_EQ(exact.output_rms().difference_of_squares(BigDyadic()).to_binary64(), -8.72);
}

TEST(ExactRow, OneElement) {
  const auto y = [](double x, double epsilon) {
    const Case row = built_case({.format = &kFp64, .x = {x}, .epsilon = epsilon});
    return ExactRow(row, 0).element(0);
  };
  EXPECT_EQ(against(y(1, 3), 1, 2), 0);
  EXPECT_EQ(y(-1, 3).compare_to(BigDyadic(-0.5)), 0);
  EXPECT_EQ(against(y(3, 16), 3, 5), 0);
  EXPECT_EQ(against(y(1e-300, 0), 1, 1), 0);
  // x = 2^-1074, epsilon = 2^-1074: y^2 = 2^-1074 / (1 + 2^-1074).
  const RootOfRatio least = y(0x1p-1074, 0x1p-1074);
  EXPECT_LT(least.compare_to(BigDyadic(0x1p-537)), 0);
  EXPECT_TRUE(same_bits(least.rounded(kFp64), code_of(0x1p-537)));
  EXPECT_TRUE(same_bits(least.rounded(kFp64, kDown), code_of(0x1.fffffffffffffp-538)));
  EXPECT_TRUE(same_bits(least.rounded(kFp32), code_of(0.0F)));
}

TEST(ExactRow, NothingOverflowsOrUnderflows) {
  const double greatest = std::numeric_limits<double>::max();
  for (const double size : {1e200, greatest, 1e-100}) {
    const Case row = built_case({.format = &kFp64, .x = {size, -size, size}, .epsilon = 1e-300});
    const ExactRow exact(row, 0);
    EXPECT_LT(against(exact.element(0), 1, 1), 0);
    EXPECT_TRUE(same_bits(exact.element(0).rounded(kFp64), code_of(1.0)));
    EXPECT_TRUE(same_bits(exact.element(1).rounded(kFp64), code_of(-1.0)));
    EXPECT_TRUE(same_bits(exact.element(1).rounded(kFp64, kDown), code_of(-0x1.fffffffffffffp-1)));
    EXPECT_EQ(exact.compare_mean_square(exact), 0);
  }
  const Case gains = built_case({.format = &kFp64,
                                 .x = {greatest, greatest},
                                 .weight = {greatest, 0x1p-1074},
                                 .weight_format = &kFp64,
                                 .epsilon = 0});
  EXPECT_EQ(ExactRow(gains, 0).element(0).compare_to(BigDyadic(greatest)), 0);
  EXPECT_TRUE(same_bits(ExactRow(gains, 0).element(1).rounded(kFp64), code_of(0x1p-1074)));
}

// More squares of one binade than 128 bits hold.
TEST(ExactRow, SumsOfSquaresCarry) {
  constexpr std::size_t kWidth = (std::size_t{1} << 22) + 3;
  const double most = 0x1.fffffffffffffp0;
  Tensor x(kFp64, 1, kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) x.set(0, i, code_of(i % 2 == 0 ? most : -most));
  Case row = built_case({.format = &kFp64, .x = {1}, .epsilon = 0});
  row.x = std::move(x).share();
  const BigDyadic square = BigDyadic(most) * BigDyadic(most);
  EXPECT_EQ(ExactRow(row, 0).inverse_rms().compare_to_ratio(BigDyadic::integer(1), BigDyadic(most)),
            0);
  EXPECT_EQ(ExactRow(row, 0).mean_square().to_binary64(), Wide(square).to_binary64());
}

TEST(ExactRow, ZeroRow) {
  const Case row = built_case({.format = &kBf16, .x = {0, -0.0}, .weight = {-2, -0.0}});
  const ExactRow exact(row, 0);
  EXPECT_TRUE(exact.all_zero());
  EXPECT_TRUE(exact.attenuation().is_zero());
  EXPECT_TRUE(exact.output_rms().is_zero());
  EXPECT_EQ(exact.mean_square().sign(), 0);
  EXPECT_TRUE(exact.element(0).is_zero());
  EXPECT_EQ(exact.element(0).rounded(kBf16).bits, 0x8000U);  // +0 x -2
  EXPECT_EQ(exact.element(1).rounded(kBf16).bits, 0x0000U);  // -0 x -0
  EXPECT_EQ(exact.element(1).compare_to(BigDyadic()), 0);
  EXPECT_EQ(ulp_exponent(exact.element(1).leading(), kBf16), -133);
}

TEST(ExactRow, SignOfZero) {
  struct Zero {
    RowNumbers numbers;
    bool negative;
  };
  for (const Zero& zero : {
           Zero{{.x = {0, 1}}, false},
           Zero{{.x = {-0.0, 1}}, true},
           Zero{{.x = {-0.0, 1}, .weight = {-1, 1}}, false},
           Zero{{.x = {-1, 1}, .weight = {0, 1}}, true},
           Zero{{.x = {-1, 1}, .weight = {-0.0, 1}}, false},
           Zero{{.x = {1, 1}, .weight = {-0.0, 1}}, true},
           // Sums that vanish are +0, whatever their terms.
           Zero{{.x = {1, 1}, .weight = {-1, 1}, .offset = 1}, false},
           Zero{{.x = {-1, 1}, .weight = {-1, 1}, .offset = 1}, true},
           Zero{{.x = {-1, 1}, .residual = {1, 1}}, false},
           Zero{{.x = {-1, 1}, .residual = {1, 1}, .weight = {-1, 1}}, true},
           Zero{{.x = {-0.0, 1}, .residual = {-0.0, 1}}, false},
       }) {
    const Case row = built_case(zero.numbers);
    const RootOfRatio value = ExactRow(row, 0).element(0);
    EXPECT_TRUE(value.is_zero());
    EXPECT_EQ(value.negative(), zero.negative);
    EXPECT_EQ(value.rounded(kFp32).negative(), zero.negative);
  }
}

TEST(ExactRow, ResidualIsAddedExactly) {
  const Case cancelled =
      built_case({.x = {1, -2.5}, .residual = {-1, 2.5}, .weight = {3, 4}, .epsilon = 1e-6});
  EXPECT_TRUE(ExactRow(cancelled, 0).all_zero());
  EXPECT_TRUE(ExactRow(cancelled, 0).element(1).is_zero());

  // z = (2^1023 + 2^-1074, 2^1023): 2098 digits, and 1 + 2^-2097 apart.
  const Case wide = built_case({.format = &kFp64,
                                .x = {0x1p1023, 0x1p1023},
                                .residual = {0x1p-1074, 0},
                                .residual_format = &kFp64,
                                .epsilon = 0});
  const ExactRow exact(wide, 0);
  EXPECT_EQ(compare(exact.input(0) - exact.input(1), BigDyadic(0x1p-1074)), 0);
  EXPECT_GT(against(exact.element(0), 1, 1), 0);
  EXPECT_LT(against(exact.element(1), 1, 1), 0);
  EXPECT_TRUE(same_bits(exact.element(0).rounded(kFp64), code_of(1.0)));
  EXPECT_TRUE(same_bits(exact.element(0).rounded(kFp64, kAway), code_of(1 + 0x1p-52)));
  EXPECT_TRUE(same_bits(exact.element(1).rounded(kFp64, kDown), code_of(1 - 0x1p-53)));
}

TEST(ExactRow, GainIsOffsetPlusWeightExactly) {
  const auto gain = [](double offset, double weight) {
    const Case row =
        built_case({.x = {1}, .weight = {weight}, .weight_format = &kFp32, .offset = offset});
    return ExactRow(row, 0).gain(0);
  };
  EXPECT_EQ(gain(1, -1).sign(), 0);
  EXPECT_EQ(compare(gain(1, -1 + 0x1p-24), BigDyadic(0x1p-24)), 0);
  EXPECT_EQ(compare(gain(1, 0x1p-149), BigDyadic(1.0) + BigDyadic(0x1p-149)), 0);
  // 0.2 as binary64 less 0.2 as binary32, which is the greater.
  EXPECT_EQ(compare(gain(0.2, -0.2), BigDyadic(0.2) - BigDyadic(double{0.2F})), 0);
  EXPECT_LT(gain(0.2, -0.2).sign(), 0);
  EXPECT_EQ(compare(gain(0, -3), BigDyadic(-3.0)), 0);
  // Without a weight there is nothing that an offset could be added to.
  const Case bare = built_case({.x = {1}, .offset = 1});
  EXPECT_EQ(compare(ExactRow(bare, 0).gain(0), BigDyadic(1.0)), 0);
}

TEST(ExactRow, EveryRowOfATensor) {
  Tensor x(kFp32, 2, 2);
  const float values[] = {1, 7, 3, 3};
  for (std::size_t i = 0; i < 4; ++i) x.set(i / 2, i % 2, code_of(values[i]));
  Case value = built_case({.x = {1, 1}, .weight = {1, 2}, .epsilon = 0});
  value.x = std::move(x).share();
  EXPECT_EQ(against(ExactRow(value, 0).element(1), 14, 5), 0);
  EXPECT_EQ(against(ExactRow(value, 1).element(1), 2, 1), 0);
}

TEST(ExactRow, ElementsOutliveTheirRow) {
  const Case value = built_case({.x = {1, 7}, .epsilon = 0});
  auto row = std::make_unique<ExactRow>(value, 0);
  const RootOfRatio fifth = row->element(0);
  row.reset();
  EXPECT_EQ(against(fifth, 1, 5), 0);
  EXPECT_EQ(fifth.wide().scientific(5), "2.0000e-01");
}

TEST(ExactRow, CompareMeanSquareAcrossWidths) {
  const Case a = built_case({.x = {1, 7}});
  const Case b = built_case({.format = &kFp64, .x = {5, 5, 5}, .epsilon = 1});
  const Case c = built_case({.format = &kFp64, .x = {5, 5, 5 + 0x1p-50}});
  EXPECT_EQ(ExactRow(a, 0).compare_mean_square(ExactRow(b, 0)), 0);
  EXPECT_LT(ExactRow(a, 0).compare_mean_square(ExactRow(c, 0)), 0);
  EXPECT_GT(ExactRow(c, 0).compare_mean_square(ExactRow(b, 0)), 0);
}

// 16384 equal elements: whatever the width, y = x / sqrt(x^2 + epsilon).
TEST(ExactRow, Widths) {
  for (std::size_t width = 1; width <= 16384; width *= 4) {
    const Case row =
        built_case({.format = &kBf16, .x = std::vector<double>(width, 3), .epsilon = 16});
    EXPECT_EQ(against(ExactRow(row, 0).element(width - 1), 3, 5), 0);
    EXPECT_EQ(against(ExactRow(row, 0).output_rms(), 3, 5), 0);
  }
}

TEST(FourSquares, AddUp) {
  for (std::uint64_t sum = 0; sum < 3000; ++sum) {
    std::uint64_t total = 0;
    for (const std::uint64_t n : four_squares(sum)) total += n * n;
    EXPECT_EQ(total, sum);
  }
}

}  // namespace
}  // namespace normcert
