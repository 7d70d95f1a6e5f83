// wide(), absolute_error() and the other 256-bit values against MPFR at thousands of bits: the
// error bounds that their declarations state.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "reference/directed_rows.hpp"
#include "reference/exact_row.hpp"
#include "reference/mpfr_number.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-256;
constexpr mpfr_prec_t kPrecision = 12000;

// y of a row to 12000 bits, or exactly where it is a number of 64 bits.
Mpfr signed_value(const MpfrRow& row, std::size_t index) {
  const MpfrMagnitude first = row.element(index);
  MpfrMagnitude y = first.exact ? first : row.element_at(index, kPrecision);
  if (y.negative) mpfr_neg(y.lower, y.lower, MPFR_RNDN);
  return y.lower;
}

struct Worst {
  double wide = 0;   // relative error in units of 2^-256
  double error = 0;  // the same, of absolute_error()
  std::uint64_t errors_compared = 0;
  std::uint64_t cancelled = 0;  // of these: error below 2^-100 of the value, and not 0
  std::uint64_t zero_errors = 0;
};

void compare_error(Code got, const RootOfRatio& value, const Mpfr& y, Worst& worst) {
  Mpfr expected(kPrecision + 2200);
  mpfr_set_d(expected, plain_value(got), MPFR_RNDN);
  mpfr_sub(expected, expected, y, MPFR_RNDN);
  mpfr_abs(expected, expected, MPFR_RNDN);
  const Wide error = absolute_error(got, value);
  ++worst.errors_compared;
  if (mpfr_zero_p(static_cast<mpfr_srcptr>(expected)) != 0) {
    ++worst.zero_errors;
    EXPECT_EQ(error.sign(), 0);
    return;
  }
  const double difference = mpfr_relative_difference(mpfr_of(error.exact()), expected);
  worst.error = std::max(worst.error, difference / kUnit);
  if (!value.is_zero() && mpfr_get_exp(static_cast<mpfr_srcptr>(expected)) <
                              mpfr_get_exp(static_cast<mpfr_srcptr>(y)) - 100) {
    ++worst.cancelled;
  }
}

void compare_element(const Case& row, std::size_t index, const FloatFormat& output, Worst& worst) {
  const RootOfRatio value = ExactRow(row, 0).element(index);
  const Mpfr y = signed_value(MpfrRow(row, 0), index);
  if (value.is_zero()) {
    EXPECT_EQ(value.wide().sign(), 0);
    EXPECT_NE(mpfr_zero_p(static_cast<mpfr_srcptr>(y)), 0);
  } else {
    const double difference = mpfr_relative_difference(mpfr_of(value.wide().exact()), y);
    worst.wide = std::max(worst.wide, difference / kUnit);
  }
  const Code nearest = value.rounded(output, {.overflow = OverflowRule::kSaturate});
  for (const Code got :
       {nearest, next_up(nearest), next_down(nearest), zero_of(output, false),
        max_finite_of(output, true), Code{nearest.bits ^ output.sign_mask(), &output}}) {
    if (is_finite(got)) compare_error(got, value, y, worst);
  }
}

void expect_bounds(const Worst& worst) {
  std::cout << worst.errors_compared << " errors, " << worst.cancelled << " after cancellation, "
            << worst.zero_errors << " exactly 0; worst relative errors in 2^-256: value "
            << worst.wide << ", error " << worst.error << '\n';
  EXPECT_LE(worst.wide, 3);
  EXPECT_LE(worst.error, 8);
  // A bound that nothing comes near would be a bound of something else.
  EXPECT_GT(worst.wide, 0.5);
  EXPECT_GT(worst.error, 0.5);
}

TEST(AbsoluteError, RandomRowsInEveryFormat) {
  Worst worst;
  RowSource source(11, "errors");
  for (const FloatFormat* const input : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (int i = 0; i < 250; ++i) {
      const Case row = built_case(source.any(*input));
      const std::size_t index = source.dice().below(row.x.width);
      compare_element(row, index, *all_formats()[source.dice().below(7)], worst);
    }
  }
  expect_bounds(worst);
  EXPECT_GT(worst.errors_compared, 5000U);
  EXPECT_GT(worst.zero_errors, 100U);
}

TEST(AbsoluteError, DirectedRows) {
  Worst worst;
  for (const auto& [name, numbers] : directed_rows()) {
    SCOPED_TRACE(name);
    const Case row = built_case(numbers);
    for (const FloatFormat* const output : {&kFp64, numbers.format}) {
      compare_element(row, row.x.width - 1, *output, worst);
    }
  }
  expect_bounds(worst);
  EXPECT_GT(worst.cancelled, 50U);
}

// Results that binary64 nearly or exactly holds: the difference of the two is 2^-100 of them and
// less, and must still be known to all its digits.
TEST(AbsoluteError, DeepCancellationInBinary64) {
  Worst worst;
  RowSource source(12, "cancellation");
  for (const FloatFormat* const input : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (int i = 0; i < 200; ++i) {
      // All elements +-c: y = +-g / sqrt(1 + epsilon / c^2).
      const double c = std::ldexp(1 + source.dice().uniform(), source.dice().between(-5, 5));
      const double gain = source.dice().normal();
      const RowNumbers numbers{.format = input,
                               .x = {c, -c, c},
                               .weight = {gain, gain, gain},
                               .weight_format = &kFp64,
                               .epsilon = std::ldexp(1.0, -source.dice().between(110, 1074))};
      compare_element(built_case(numbers), source.dice().below(3), kFp64, worst);
      const AimedRow aimed = source.next_to_midpoint(*input, kFp64);
      compare_element(built_case(aimed.numbers), aimed.index, kFp64, worst);
    }
  }
  expect_bounds(worst);
  EXPECT_GE(worst.cancelled, 800U);
}

// A, the RMS of the outputs and q, from sums that MPFR forms exactly.
TEST(RowStatistics, AgainstMpfr) {
  RowSource source(13, "statistics");
  double worst_q = 0;
  double worst_root = 0;
  int rows = 0;
  for (const FloatFormat* const input : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (int i = 0; i < 100; ++i, ++rows) {
      const Case row = built_case(source.any(*input));
      const ExactRow exact(row, 0);
      Mpfr squares(kPrecision);
      Mpfr gained(kPrecision);
      for (std::size_t k = 0; k < row.x.width; ++k) {
        Mpfr z = mpfr_of(exact.input(k), kPrecision);
        mpfr_mul(z, z, z, MPFR_RNDN);
        mpfr_add(squares, squares, z, MPFR_RNDN);
        Mpfr y = mpfr_of(exact.input(k) * exact.gain(k), kPrecision);
        mpfr_mul(y, y, y, MPFR_RNDN);
        mpfr_add(gained, gained, y, MPFR_RNDN);
      }
      Mpfr total(kPrecision);
      mpfr_set_d(total, row.epsilon.binary64, MPFR_RNDN);
      mpfr_mul_ui(total, total, row.x.width, MPFR_RNDN);
      mpfr_add(total, total, squares, MPFR_RNDN);

      Mpfr q(kPrecision);
      mpfr_div_ui(q, squares, row.x.width, MPFR_RNDN);
      if (mpfr_zero_p(static_cast<mpfr_srcptr>(q)) == 0) {
        worst_q =
            std::max(worst_q, mpfr_relative_difference(mpfr_of(exact.mean_square().exact()), q));
      }
      EXPECT_EQ(exact.all_zero(), mpfr_zero_p(static_cast<mpfr_srcptr>(q)) != 0);
      const auto compare_root = [&](const RootOfRatio& own, const Mpfr& numerator) {
        Mpfr root(kPrecision);
        mpfr_div(root, numerator, total, MPFR_RNDN);
        mpfr_sqrt(root, root, MPFR_RNDN);
        EXPECT_FALSE(own.negative());
        if (mpfr_zero_p(static_cast<mpfr_srcptr>(root)) != 0) {
          EXPECT_TRUE(own.is_zero());
          return;
        }
        worst_root =
            std::max(worst_root, mpfr_relative_difference(mpfr_of(own.wide().exact()), root));
      };
      compare_root(exact.attenuation(), squares);
      compare_root(exact.output_rms(), gained);
    }
  }
  EXPECT_EQ(rows, 400);
  EXPECT_LE(worst_q, 2 * kUnit);
  EXPECT_LE(worst_root, 3 * kUnit);
  EXPECT_GT(worst_root, 0.5 * kUnit);
}

}  // namespace
}  // namespace normcert
