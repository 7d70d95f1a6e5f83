// Gated rows where the digits of an activation would not do: what cancels, what lies beside a
// number by less than any of them, what vanishes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/exact_row.hpp"
#include "reference/gated_case.hpp"
#include "reference/precise_row.hpp"
#include "reference/row_sums.hpp"

namespace normcert {
namespace {

BigDyadic number(double value) { return BigDyadic(value); }

TEST(GatedRow, AnActivationThatAllElementsShareCancels) {
  for (const Activation activation : {Activation::kSilu, Activation::kSigmoid}) {
    for (const double g : {1.5, -3.0, 300.0, 1e6, 0x1p-80}) {
      const RowNumbers numbers{.format = &kFp64, .x = {1, -1, 1, 0}, .epsilon = 0};
      // A zero takes no part, whatever its gate is.
      const Case value = gated_case(numbers, {g, g, g, 7}, GateMode::kBefore, activation);
      const Case plain = built_case(numbers);
      const ExactRow row(value, 0);
      const double sign = activation == Activation::kSilu && g < 0 ? -1 : 1;
      for (std::size_t i = 0; i < 4; ++i) {
        const RootOfRatio expected = ExactRow(plain, 0).element(i);
        EXPECT_EQ(row.element(i).wide().to_binary64(), sign * expected.wide().to_binary64());
        EXPECT_EQ(row.element(i).leading().sticky, expected.leading().sticky);
      }
      EXPECT_EQ(row.attenuation().compare_to(number(1)), 0);
      EXPECT_EQ(row.output_rms().compare_to(number(1)), 0);
    }
  }
}

TEST(GatedRow, OneElementWithoutEpsilonIsExact) {
  const RowNumbers numbers{.format = &kFp64, .x = {3, 0, 0, 0}, .epsilon = 0};
  const Case value = gated_case(numbers, {0.75, 1, 2, 3}, GateMode::kBefore, Activation::kSigmoid);
  const ExactRow row(value, 0);
  EXPECT_EQ(row.element(0).compare_to(number(2)), 0);
  EXPECT_FALSE(row.element(0).leading().sticky);
  EXPECT_TRUE(row.element(1).is_zero());
}

// y^2 = 4 / (1 + d), d = 2^-1000 or less: more digits than an activation has.
TEST(GatedRow, TellsWhatIsBesideOneElement) {
  const auto expect_just_below_two = [](const Case& value) {
    const RootOfRatio y = ExactRow(value, 0).element(0);
    EXPECT_EQ(y.compare_to(number(2)), -1);
    EXPECT_EQ(y.leading().top, ~std::uint64_t{0});
    EXPECT_TRUE(y.leading().sticky);
    EXPECT_EQ(to_binary64(y.rounded(kFp64)), 2);
    // How far, is known too.
    const Wide error = absolute_error(code_of(2.0), y);
    EXPECT_GT(error.sign(), 0);
    EXPECT_LT(compare(error, Wide(BigDyadic::power_of_two(-990))), 0);
    EXPECT_EQ(to_binary64(y.rounded(kFp64, {RoundingMode::kTowardZero})), std::nextafter(2.0, 0.0));
  };
  const GateMode before = GateMode::kBefore;
  for (const Activation activation : {Activation::kSilu, Activation::kSigmoid}) {
    const RowNumbers far{.format = &kFp64, .x = {1, 0x1p-500, 0, 0}, .epsilon = 0};
    expect_just_below_two(gated_case(far, {0.75, 1, 1, 1}, before, activation));
    expect_just_below_two(gated_case(far, {300, 1, 1, 1}, before, activation));
    const RowNumbers near{.format = &kFp64, .x = {1, 1, 1, 1}, .epsilon = 0};
    expect_just_below_two(gated_case(near, {0.75, -900, -901, -902}, before, activation));
    expect_just_below_two(gated_case(near, {0.75, -1e300, -1e6, -60000}, before, activation));
    const RowNumbers great{.format = &kFp64, .x = {0x1p900, 0, 1, 0}, .epsilon = 1e-6};
    expect_just_below_two(gated_case(great, {-0.75, 1, -1e9, 1}, before, Activation::kSigmoid));
  }
}

TEST(GatedRow, TellsGreatAndSmallGatesFromTheirPlainNumbers) {
  const RowNumbers ones{.format = &kFp64, .x = {1, -1}, .epsilon = 0};
  for (const double g : {40.0, 300.0, 65504.0, 1e6, 1e300}) {
    const Case silu = gated_case(ones, {g, g}, GateMode::kAfter, Activation::kSilu);
    const RootOfRatio y = ExactRow(silu, 0).element(0);
    EXPECT_EQ(y.compare_to(number(g)), -1) << g;
    EXPECT_EQ(to_binary64(y.rounded(kFp64, {RoundingMode::kTowardZero})), std::nextafter(g, 0.0));
    EXPECT_EQ(ExactRow(silu, 0).element(1).compare_to(number(-g)), 1) << g;
    const Case sigmoid = gated_case(ones, {g, -g}, GateMode::kAfter, Activation::kSigmoid);
    EXPECT_EQ(ExactRow(sigmoid, 0).element(0).compare_to(number(1)), -1) << g;
    // -1 times what all but vanishes.
    const RootOfRatio tiny = ExactRow(sigmoid, 0).element(1);
    EXPECT_EQ(tiny.compare_to(BigDyadic()), -1);
    EXPECT_FALSE(tiny.is_zero());
    if (g > 1000) {
      EXPECT_EQ(tiny.rounded(kFp64), zero_of(kFp64, true));
    }
    EXPECT_TRUE(within_tolerance(zero_of(kFp64, false), tiny, number(1e-16), BigDyadic()));
    EXPECT_FALSE(within_tolerance(zero_of(kFp64, false), tiny, BigDyadic(), BigDyadic()));
  }
  for (const double g : {0x1p-30, 0x1p-200, 0x1p-1074}) {
    const Case sigmoid = gated_case(ones, {g, -g}, GateMode::kAfter, Activation::kSigmoid);
    EXPECT_EQ(ExactRow(sigmoid, 0).element(0).compare_to(number(0.5)), 1) << g;
    EXPECT_EQ(ExactRow(sigmoid, 0).element(1).compare_to(number(-0.5)), 1) << g;
  }
}

// A tie of bf16 is one no more: 257 (1 - e^-257).
TEST(GatedRow, BreaksTies) {
  const RowNumbers ones{.format = &kFp32, .x = {1, -1}, .epsilon = 0};
  const Case after = gated_case(ones, {257, 257}, GateMode::kAfter, Activation::kSilu);
  EXPECT_EQ(to_binary64(ExactRow(after, 0).element(0).rounded(kBf16)), 256);
  const Case odd = gated_case(ones, {259, 259}, GateMode::kAfter, Activation::kSilu);
  EXPECT_EQ(to_binary64(ExactRow(odd, 0).element(0).rounded(kBf16)), 258);
  EXPECT_EQ(ExactRow(odd, 0).output_rms().compare_to(number(259)), -1);
}

TEST(GatedRow, SignsOfZeros) {
  const RowNumbers numbers{.format = &kFp32, .x = {1, -1, 0, -0.0, 1}, .epsilon = 1};
  for (const GateMode mode : {GateMode::kBefore, GateMode::kAfter}) {
    const Case value = gated_case(numbers, {-0.0, -0.0, -3, -3, -1e9}, mode, Activation::kSilu);
    const ExactRow row(value, 0);
    const auto precise = PreciseRow::of(value, 0);
    const bool negative[] = {true, false, true, false, true};
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(row.element(i).rounded(kFp32), zero_of(kFp32, negative[i])) << i;
      EXPECT_EQ(row.element(i).is_zero(), i < 4) << i;
      // Before the norm nothing is left of this row in double-double arithmetic.
      if (mode == GateMode::kAfter && i < 4) {
        EXPECT_EQ(std::signbit(precise->value(i)->high), negative[i]) << i;
      }
    }
    const Case sigmoid = gated_case(numbers, {-0.0, 0, -3, -3, -1e9}, mode, Activation::kSigmoid);
    EXPECT_FALSE(ExactRow(sigmoid, 0).element(0).is_zero());
    EXPECT_EQ(ExactRow(sigmoid, 0).element(3).rounded(kFp32), zero_of(kFp32, true));
  }
}

TEST(GatedRow, MeanSquaresAreCompared) {
  const auto row_of = [](std::vector<double> x, std::vector<double> g) {
    return gated_case({.format = &kFp32, .x = std::move(x)}, g, GateMode::kBefore,
                      Activation::kSilu);
  };
  const auto order = [](const Case& a, const Case& b) {
    return ExactRow(a, 0).compare_mean_square(ExactRow(b, 0));
  };
  const Case one = row_of({1, 2, 3}, {0.5, 1.5, 2.5});
  EXPECT_EQ(order(one, row_of({-3, 1, 2}, {2.5, 0.5, 1.5})), 0);
  EXPECT_EQ(order(one, row_of({1, 2, 3, 1, 2, 3}, {0.5, 1.5, 2.5, 0.5, 1.5, 2.5})), 0);
  EXPECT_EQ(order(one, row_of({1, 2, std::nextafterf(3, 4)}, {0.5, 1.5, 2.5})), -1);
  EXPECT_EQ(order(one, row_of({1, 2, 3}, {0.5, 1.5, std::nextafter(2.5, 0)})), 1);
  // More of the same by less than 300 digits show.
  EXPECT_EQ(order(row_of({1, 0}, {300, 1}), row_of({1, 0}, {300, 1})), 0);
  EXPECT_TRUE(ExactRow(row_of({1, 0}, {0, 5}), 0).all_zero());
  EXPECT_FALSE(ExactRow(row_of({1, 0}, {-1e30, 5}), 0).all_zero());
}

TEST(GatedRow, NothingIsAnsweredThatIsNotKnown) {
  const auto one = std::make_shared<const BigDyadic>(BigDyadic::integer(1));
  const auto square = [&](double value) { return DyadicRatio{number(value), one}; };
  const RootOfRatio y(false, square(4), {square(4 - 0x1p-40), square(4 + 0x1p-40)});
  EXPECT_EQ(y.compare_to(number(1.9)), 1);
  EXPECT_EQ(y.compare_to(number(-3)), 1);
  EXPECT_EQ(y.compare_to(number(2.1)), -1);
  EXPECT_THROW((void)y.compare_to(number(2)), UndecidedComparison);
  EXPECT_THROW((void)y.compare_to(number(2 + 0x1p-43)), UndecidedComparison);
  EXPECT_THROW((void)y.leading(), UndecidedComparison);
  EXPECT_THROW((void)y.difference_of_squares(number(2)), UndecidedComparison);
  // Ends that are not reached.
  const RootOfRatio above(false, square(2.25), {square(2.25), square(2.25 + 0x1p-50)});
  EXPECT_THROW((void)above.leading(), UndecidedComparison);
  const RootOfRatio just_above(false, square(2.25),
                               {square(2.25), {number(2.25) + BigDyadic::power_of_two(-200), one}});
  EXPECT_EQ(just_above.leading().top, std::uint64_t{3} << 62);
  EXPECT_TRUE(just_above.leading().sticky);
  EXPECT_EQ(just_above.compare_to(number(1.5)), 1);
  const RootOfRatio below(true, square(3.9), {square(2.25), square(4)});
  EXPECT_EQ(below.compare_to(number(-2)), 1);
  EXPECT_EQ(below.compare_to(number(-1.5)), -1);
}

TEST(GatedRow, RowSumsAskForFiniteGates) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const GateMode mode : {GateMode::kBefore, GateMode::kAfter}) {
    for (const double g : {infinity, -infinity, std::nan("")}) {
      const Case value = gated_case({.x = {1, 2}}, {1, g}, mode, Activation::kSilu);
      EXPECT_FALSE(row_sums(value, 0, 1).at(0).finite);
      EXPECT_FALSE(PreciseRow::of(value, 0).has_value());
    }
  }
}

}  // namespace
}  // namespace normcert
