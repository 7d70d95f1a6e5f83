// Gated rows against MPFR, which computes them from its own exponential and knows nothing of
// enclosures, groups and integers.
#include <gtest/gtest.h>

#include <vector>

#include "reference/exact_row.hpp"
#include "reference/gated_case.hpp"
#include "reference/mpfr_row.hpp"
#include "reference/precise_row.hpp"
#include "reference/row_sums.hpp"

namespace normcert {
namespace {

// sigmoid(2^11) differs from 1 after 2955 digits.
constexpr mpfr_prec_t kPrecision = 5000;

class OracleRow {
 public:
  explicit OracleRow(const Case& value) : value_(value) {
    mpfr_set_zero(sum_, 1);
    Mpfr square(kPrecision);
    for (std::size_t i = 0; i < value.x.width; ++i) {
      Mpfr z(kPrecision);
      mpfr_set_d(z, plain_value(value.x.at(0, i)), MPFR_RNDN);
      if (value.residual) mpfr_add_d(z, z, plain_value(value.residual->at(0, i)), MPFR_RNDN);
      Mpfr a(kPrecision);
      set_activation(a, plain_value(value.gate->values.at(0, i)));
      if (value.gate->mode == GateMode::kBefore) mpfr_mul(z, z, a, MPFR_RNDN);
      mpfr_sqr(square, z, MPFR_RNDN);
      mpfr_add(sum_, sum_, square, MPFR_RNDN);
      if (value.gate->mode == GateMode::kAfter) mpfr_mul(z, z, a, MPFR_RNDN);
      if (value.weight) {
        Mpfr gain(kPrecision);
        mpfr_set_d(gain, value.weight_offset.binary64, MPFR_RNDN);
        mpfr_add_d(gain, gain, plain_value(value.weight->at(0, i)), MPFR_RNDN);
        mpfr_mul(z, z, gain, MPFR_RNDN);
      }
      products_.push_back(z);
    }
    mpfr_div_ui(mean_, sum_, value.x.width, MPFR_RNDN);
    mpfr_add_d(root_, mean_, value.epsilon.binary64, MPFR_RNDN);
    mpfr_sqrt(root_, root_, MPFR_RNDN);
  }

  [[nodiscard]] Mpfr element(std::size_t i) const { return quotient(products_[i], root_); }
  [[nodiscard]] const Mpfr& mean_square() const { return mean_; }
  [[nodiscard]] Mpfr inverse_rms() const {
    Mpfr one(2);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    return quotient(one, root_);
  }
  [[nodiscard]] Mpfr attenuation() const {
    Mpfr rms(kPrecision);
    mpfr_sqrt(rms, mean_, MPFR_RNDN);
    return quotient(rms, root_);
  }
  [[nodiscard]] Mpfr output_rms() const {
    Mpfr sum(kPrecision);
    Mpfr square(kPrecision);
    for (std::size_t i = 0; i < products_.size(); ++i) {
      mpfr_sqr(square, element(i), MPFR_RNDN);
      mpfr_add(sum, sum, square, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, products_.size(), MPFR_RNDN);
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    return sum;
  }

 private:
  void set_activation(mpfr_ptr a, double g) const {
    mpfr_set_d(a, -g, MPFR_RNDN);
    mpfr_exp(a, a, MPFR_RNDN);
    mpfr_add_ui(a, a, 1, MPFR_RNDN);
    mpfr_ui_div(a, 1, a, MPFR_RNDN);
    if (value_.gate->activation == Activation::kSilu) mpfr_mul_d(a, a, g, MPFR_RNDN);
  }
  static Mpfr quotient(const Mpfr& a, const Mpfr& b) {
    Mpfr result(kPrecision);
    mpfr_div(result, a, b, MPFR_RNDN);
    return result;
  }

  const Case& value_;
  std::vector<Mpfr> products_;
  Mpfr sum_{kPrecision};
  Mpfr mean_{kPrecision};
  Mpfr root_{kPrecision};
};

Mpfr number_of(const BigDyadic& exact) {
  Mpfr number(kPrecision);
  BigDyadic rest = exact.magnitude();
  while (rest.sign() != 0) {
    const LeadingBits bits = leading_bits(rest);
    Mpfr piece(64);
    mpfr_set_uj_2exp(piece, bits.top, bits.exponent, MPFR_RNDN);
    mpfr_add(number, number, piece, MPFR_RNDN);
    rest -= BigDyadic::integer(bits.top).times_power_of_two(bits.exponent);
  }
  if (exact.sign() < 0) mpfr_neg(number, number, MPFR_RNDN);
  return number;
}

// |found - expected| <= 2^exponent |expected|.
bool is_near(const Mpfr& found, const Mpfr& expected, int exponent) {
  Mpfr difference(kPrecision);
  Mpfr limit(kPrecision);
  mpfr_sub(difference, found, expected, MPFR_RNDN);
  mpfr_mul_2si(limit, expected, exponent, MPFR_RNDN);
  return mpfr_cmpabs(difference, limit) <= 0;
}

bool is_near(const Wide& found, const Mpfr& expected, int exponent) {
  return is_near(number_of(found.exact()), expected, exponent);
}

// The leading digits are those of MPFR's number, and none is certain beyond its precision.
bool has_leading(const RootOfRatio& found, const Mpfr& expected) {
  const LeadingBits& bits = found.leading();
  Mpfr top(64);
  const int cut = mpfr_set(top, expected, MPFR_RNDZ);
  mpfr_abs(top, top, MPFR_RNDN);
  Mpfr stated(64);
  mpfr_set_uj_2exp(stated, bits.top, bits.exponent, MPFR_RNDN);
  return mpfr_equal_p(top, stated) != 0 && bits.sticky == (cut != 0);
}

// Whether the number lies within its bound.
bool is_within(const ScaledDoubleDouble& found, double bound, const Mpfr& expected) {
  const Mpfr number =
      number_of((BigDyadic(found.high) + BigDyadic(found.low)).times_power_of_two(found.exponent));
  Mpfr difference(kPrecision);
  Mpfr limit(kPrecision);
  mpfr_sub(difference, number, expected, MPFR_RNDN);
  mpfr_mul_d(limit, expected, bound, MPFR_RNDN);
  return mpfr_cmpabs(difference, limit) <= 0;
}

TEST(GatedRowOracle, AgreesWithMpfr) {
  GatedSource source(20261201);
  std::size_t elements = 0;
  std::size_t zeros = 0;
  std::size_t tight = 0;
  for (int k = 0; k < 2500; ++k) {
    const Case value = source.next();
    const ExactRow row(value, 0);
    const OracleRow oracle(value);
    const auto precise = PreciseRow::of(value, 0);
    ASSERT_TRUE(precise.has_value());
    ASSERT_LT(precise->bound(), 0x1p-94);
    ASSERT_TRUE(is_near(row.mean_square(), oracle.mean_square(), -250)) << k;
    ASSERT_TRUE(is_near(row.inverse_rms().wide(), oracle.inverse_rms(), -250)) << k;
    ASSERT_TRUE(is_near(row.attenuation().wide(), oracle.attenuation(), -250)) << k;
    ASSERT_TRUE(is_near(row.output_rms().wide(), oracle.output_rms(), -250)) << k;
    const Enclosure inverse = precise->inverse_rms();
    ASSERT_TRUE(is_within(inverse.value, inverse.bound, oracle.inverse_rms())) << k;
    const Enclosure mean = precise->mean_square();
    ASSERT_TRUE(is_within(mean.value, mean.bound, oracle.mean_square())) << k;
    const RowSum sum = row_sums(value, 0, 1).at(0);
    ASSERT_TRUE(sum.finite);
    const BigDyadic low(sum.low / static_cast<double>(value.x.width) * (1 - 0x1p-52));
    ASSERT_LE(mpfr_cmp(number_of(low), oracle.mean_square()), 0) << k;
    if (std::isfinite(sum.high)) {
      const BigDyadic high(sum.high / static_cast<double>(value.x.width) * (1 + 0x1p-52));
      ASSERT_GE(mpfr_cmp(number_of(high), oracle.mean_square()), 0) << k;
      if (sum.high <= sum.low * (1 + 1e-12)) ++tight;
    }
    for (std::size_t i = 0; i < value.x.width; ++i) {
      const RootOfRatio y = row.element(i);
      const Mpfr expected = oracle.element(i);
      const auto fast = precise->value(i);
      ASSERT_TRUE(fast.has_value()) << k;
      ASSERT_EQ(std::signbit(fast->high), y.negative()) << k << ' ' << i;
      ASSERT_TRUE(is_within(*fast, precise->bound(), expected)) << k << ' ' << i;
      ++elements;
      if (y.is_zero()) {
        ASSERT_NE(mpfr_zero_p(static_cast<mpfr_srcptr>(expected)), 0) << k << ' ' << i;
        ++zeros;
        continue;
      }
      ASSERT_EQ(y.negative(), mpfr_sgn(static_cast<mpfr_srcptr>(expected)) < 0);
      ASSERT_TRUE(has_leading(y, expected)) << k << ' ' << i;
      ASSERT_TRUE(is_near(y.wide(), expected, -253)) << k << ' ' << i;
      // The error of the nearest number of binary64, which cancels half of all digits.
      const Code got = y.rounded(kFp64);
      if (!is_finite(got) || got.magnitude() == 0) continue;
      Mpfr error(kPrecision);
      mpfr_sub(error, number_of(BigDyadic(decode(got))), expected, MPFR_RNDN);
      mpfr_abs(error, error, MPFR_RNDN);
      ASSERT_TRUE(is_near(absolute_error(got, y), error, -190)) << k << ' ' << i;
    }
  }
  EXPECT_GT(elements, 15000U);
  EXPECT_GT(zeros, 1000U);
  EXPECT_GT(tight, 2000U);
}

}  // namespace
}  // namespace normcert
