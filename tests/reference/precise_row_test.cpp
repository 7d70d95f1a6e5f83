// The double-double row against the exact one, evaluated to 256 bits: every value within its bound.
#include "reference/precise_row.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

#include "reference/built_case.hpp"
#include "reference/exact_row.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

BigDyadic exact(const ScaledDoubleDouble& number) {
  return (BigDyadic(number.high) + BigDyadic(number.low)).times_power_of_two(number.exponent);
}

// How far off a value is, in bounds; at most 1 where the bound holds.
double share_of_bound(const ScaledDoubleDouble& found, double bound, const Wide& expected) {
  const Wide error = (Wide(exact(found)) - expected).magnitude();
  if (expected.sign() == 0) return error.sign() == 0 ? 0 : 1e9;
  return (error / (expected.magnitude() * Wide(bound))).to_binary64();
}

class Checker {
 public:
  void check(const RowNumbers& numbers) {
    const Case value = built_case(numbers);
    const auto row = PreciseRow::of(value, 0);
    ASSERT_TRUE(row.has_value());
    ASSERT_LT(row->bound(), 0x1p-98);
    const ExactRow twin(value, 0);
    const Enclosure mean = row->mean_square();
    ASSERT_LE(share_of_bound(mean.value, mean.bound, twin.mean_square()), 1);
    const Enclosure inverse = row->inverse_rms();
    ASSERT_LE(share_of_bound(inverse.value, inverse.bound, twin.inverse_rms().wide()), 1);
    for (std::size_t i = 0; i < value.x.width; ++i) {
      const auto y = row->value(i);
      ASSERT_TRUE(y.has_value());
      const RootOfRatio expected = twin.element(i);
      ASSERT_EQ(std::signbit(y->high), expected.negative());
      ASSERT_EQ(y->high == 0, expected.is_zero());
      const double share = share_of_bound(*y, row->bound(), expected.wide());
      ASSERT_LE(share, 1) << i;
      greatest_ = std::max(greatest_, share);
      const auto sum = precise_sum(value, 0, i);
      ASSERT_TRUE(sum.has_value());
      ASSERT_EQ(compare(exact(*sum), twin.input(i)), 0);
      ++elements_;
    }
  }
  [[nodiscard]] std::size_t elements() const { return elements_; }
  [[nodiscard]] double greatest() const { return greatest_; }

 private:
  std::size_t elements_ = 0;
  double greatest_ = 0;
};

TEST(PreciseRow, RandomRowsOfEveryFormatKeepTheBound) {
  RowSource source(20260301, "precise_row");
  Checker checker;
  for (int i = 0; checker.elements() < 120000; ++i) {
    for (const FloatFormat* format : all_formats()) {
      ASSERT_NO_FATAL_FAILURE(checker.check(source.any(*format))) << i << ' ' << format->name;
    }
  }
  RecordProperty("elements", static_cast<int>(checker.elements()));
  // The bound is proven, so errors are smaller; but not so small that it would hold by accident.
  EXPECT_LT(checker.greatest(), 0.5);
  EXPECT_GT(checker.greatest(), 0.02);
}

TEST(PreciseRow, DirectedRowsKeepTheBound) {
  Checker checker;
  constexpr double kGreatest = std::numeric_limits<double>::max();
  constexpr double kLeast = 0x1p-1074;
  const auto check = [&](RowNumbers numbers) {
    numbers.format = &kFp64;
    numbers.weight_format = &kFp64;
    numbers.residual_format = &kFp64;
    checker.check(numbers);
  };
  for (const double epsilon : {1e-6, kLeast, 0x1p-1030, 1e300, kGreatest}) {
    for (const double a : {kGreatest, 1.0, 0x1p-400, 0x1p-486, 0x1p-537, 0x1p-1022, kLeast}) {
      for (const double b : {kGreatest, 1.0, 0.1, 0x1.8p-401, 0x1p-537, 3 * kLeast, 0.0}) {
        for (const std::size_t width : {1U, 2U, 5U, 300U}) {
          RowNumbers numbers{.x = std::vector<double>(width, b), .epsilon = epsilon};
          numbers.x[width / 2] = -a;
          ASSERT_NO_FATAL_FAILURE(check(numbers)) << a << ' ' << b << ' ' << epsilon;
          numbers.weight.assign(width, 0.1);
          numbers.weight[0] = kLeast;
          numbers.weight[width - 1] = -kGreatest;
          ASSERT_NO_FATAL_FAILURE(check(numbers)) << a << ' ' << b << ' ' << epsilon;
        }
      }
    }
  }
  EXPECT_GT(checker.elements(), 70000U);
}

TEST(PreciseRow, LongRowsKeepTheBound) {
  Checker checker;
  Dice dice(3, "long rows");
  for (const FloatFormat* format : {&kFp32, &kBf16}) {
    for (const std::size_t width : {31U, 33U, 1024U, 1025U, 2049U, 5000U}) {
      RowNumbers numbers{.format = format, .x = std::vector<double>(width), .epsilon = 1e-5};
      for (double& x : numbers.x) x = dice.normal();
      ASSERT_NO_FATAL_FAILURE(checker.check(numbers)) << width;
    }
  }
  for (const std::size_t width : {255U, 256U, 257U, 511U, 513U, 1280U, 5000U}) {
    RowNumbers numbers{.format = &kFp64, .x = std::vector<double>(width), .epsilon = 1e-5};
    for (double& x : numbers.x) x = dice.normal();
    ASSERT_NO_FATAL_FAILURE(checker.check(numbers)) << width;
    numbers.residual_format = &kFp64;
    for (std::size_t i = 0; i < width; ++i) {
      numbers.residual.push_back(i % 2 == 0 ? 0x1p-30 * dice.normal() : -numbers.x[i]);
    }
    ASSERT_NO_FATAL_FAILURE(checker.check(numbers)) << width;
  }
  EXPECT_EQ(checker.elements(), 2 * 8072U + 2 * 9162U);
}

TEST(PreciseRow, ASumThatCancelsLeavesTheRestExact) {
  Checker checker;
  // Sums of 2^-1074 beside inputs of 2^1000: the scale must come from the sums.
  RowNumbers numbers{.format = &kFp64,
                     .x = {0x1p1000, -0x1p1000, 0x1p-1074, 0.0, 0x1p1000},
                     .residual = {-0x1p1000, 0x1p1000, 0.0, -0.0, -0x1.fffffffffffffp999},
                     .residual_format = &kFp64,
                     .epsilon = 0x1p-1074};
  ASSERT_NO_FATAL_FAILURE(checker.check(numbers));
  numbers.x[4] = -0.0;
  numbers.residual[4] = -0.0;
  ASSERT_NO_FATAL_FAILURE(checker.check(numbers));
  EXPECT_EQ(checker.elements(), 10U);
}

// Sums that are said to be exact, and inverse roots.
TEST(PreciseRow, WhatItCallsExactIs) {
  RowSource source(20260802, "exact sums");
  int sums = 0;
  int others = 0;
  int roots = 0;
  const auto check = [&](const RowNumbers& numbers) {
    const Case value = built_case(numbers);
    const auto row = PreciseRow::of(value, 0);
    ASSERT_TRUE(row.has_value());
    const ExactRow twin(value, 0);
    ++(row->exact_sum() ? sums : others);
    if (row->exact_sum()) {
      BigDyadic expected;
      for (std::size_t i = 0; i < value.x.width; ++i) expected += twin.input(i) * twin.input(i);
      const DoubleDouble& sum = *row->exact_sum();
      EXPECT_EQ(compare(BigDyadic(sum.high) + BigDyadic(sum.low), expected), 0);
    }
    if (!row->inverse_rms_is_exact()) return;
    ++roots;
    EXPECT_EQ(twin.inverse_rms().compare_to(exact(row->inverse_rms().value)), 0);
  };
  for (int i = 0; i < 300; ++i) {
    for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32, &kFp64}) {
      ASSERT_NO_FATAL_FAILURE(check(source.exact_root(*format))) << i << ' ' << format->name;
      ASSERT_NO_FATAL_FAILURE(check(source.any(*format))) << i << ' ' << format->name;
    }
  }
  EXPECT_EQ(sums + others, 2400);
  EXPECT_GT(sums, 500);
  EXPECT_GT(others, 500);
  EXPECT_GT(roots, 100);
  // q + epsilon = 4, and a little more.
  RowNumbers numbers{.format = &kBf16, .x = {1, -1, 1}, .epsilon = 3};
  EXPECT_TRUE(PreciseRow::of(built_case(numbers), 0)->inverse_rms_is_exact());
  numbers.epsilon = 3 + 0x1p-51;
  EXPECT_FALSE(PreciseRow::of(built_case(numbers), 0)->inverse_rms_is_exact());
}

TEST(PreciseRow, RefusesWhatItsProofDoesNotCover) {
  RowNumbers numbers{.format = &kFp64, .x = {1, 2, 3}, .epsilon = 1e-6};
  const Case good = built_case(numbers);
  EXPECT_TRUE(PreciseRow::of(good, 0).has_value());
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const bool upward = PreciseRow::of(good, 0).has_value();
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_FALSE(upward);

  const auto with_x = [&](Code code) {
    Case value = good;
    Tensor x(kFp64, 1, 3);
    x.set(0, 1, code);
    value.x = std::move(x).share();
    return value;
  };
  EXPECT_TRUE(PreciseRow::of(with_x(code_of(1.0)), 0).has_value());
  EXPECT_FALSE(PreciseRow::of(with_x(infinity_of(kFp64, true)), 0).has_value());
  EXPECT_FALSE(PreciseRow::of(with_x(nan_of(kFp64)), 0).has_value());
  EXPECT_FALSE(precise_sum(with_x(nan_of(kFp64)), 0, 1).has_value());
  // With a residual the sum might overflow.
  numbers.residual = {0, 0x1p1022, 0};
  numbers.residual_format = &kFp64;
  EXPECT_FALSE(PreciseRow::of(built_case(numbers), 0).has_value());
  numbers.residual = {0, 0x1.fffffffffffffp1021, 0};
  EXPECT_TRUE(PreciseRow::of(built_case(numbers), 0).has_value());

  Case value = good;
  value.epsilon.binary64 = -1;
  EXPECT_FALSE(PreciseRow::of(value, 0).has_value());
  value.epsilon.binary64 = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(PreciseRow::of(value, 0).has_value());
  value = with_x(zero_of(kFp64, false));
  EXPECT_TRUE(PreciseRow::of(value, 0).has_value());
  value.epsilon.binary64 = 0;
  EXPECT_FALSE(PreciseRow::of(value, 0).has_value());

  value = good;
  Tensor weight(kFp64, 1, 3);
  weight.set(0, 0, code_of(0x1p1022));
  weight.set(0, 1, infinity_of(kFp64, false));
  value.weight = std::move(weight).share();
  EXPECT_TRUE(PreciseRow::of(value, 0)->value(0).has_value());
  EXPECT_FALSE(PreciseRow::of(value, 0)->value(1).has_value());
  value.weight_offset.binary64 = 1;
  EXPECT_FALSE(PreciseRow::of(value, 0)->value(0).has_value());
  EXPECT_TRUE(PreciseRow::of(value, 0)->value(2).has_value());
}

}  // namespace
}  // namespace normcert
