// Against MPFR: A, the loss, the ratio of two epsilons and the least q/epsilon of random decimal
// inputs over the whole range of binary64, to the last bit and to the last of 40 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "numeric/random.hpp"
#include "reference/attenuation.hpp"
#include "reference/mpfr_number.hpp"

namespace normcert {
namespace {

constexpr mpfr_prec_t kPrecision = 2048;
constexpr int kCases = 3000;

Mpfr number(const std::string& text) {
  Mpfr value(kPrecision);
  if (mpfr_set_str(value, text.c_str(), 10, MPFR_RNDN) != 0) throw std::logic_error(text);
  return value;
}

double binary64(const Mpfr& value) {
  // mpfr_get_d rounds subnormal results once, too.
  return mpfr_get_d(value, MPFR_RNDN);
}

std::string digits(const Mpfr& value) {
  char* text = nullptr;
  mpfr_asprintf(&text, "%.39Re", static_cast<mpfr_srcptr>(value));
  const std::string copy = text;
  mpfr_free_str(text);
  return copy;
}

// d.ddd...e+xxx with up to 20 digits; exponents from least to greatest.
std::string random_decimal(const RandomStream& random, std::uint64_t index, int least,
                           int greatest) {
  const std::uint64_t digits = random.bits(2 * index);
  const std::uint64_t shape = random.bits(2 * index + 1);
  std::string text = std::to_string(digits % 9 + 1) + '.' + std::to_string(digits);
  text.resize(std::min<std::size_t>(text.size(), 2 + shape % 20));
  if (text.back() == '.') text += '0';
  const auto span = static_cast<std::uint64_t>(greatest - least + 1);
  return text + 'e' + std::to_string(least + static_cast<int>((shape >> 32) % span));
}

// sqrt(a / (a + b)) and, without cancellation, what it lacks of 1.
struct Expected {
  Mpfr root{kPrecision};
  Mpfr lack{kPrecision};
};

Expected attenuation(const Mpfr& q, const Mpfr& epsilon) {
  Expected expected;
  Mpfr sum(2 * kPrecision);
  mpfr_add(sum, q, epsilon, MPFR_RNDN);
  mpfr_div(expected.root, q, sum, MPFR_RNDN);
  mpfr_sqrt(expected.root, expected.root, MPFR_RNDN);
  mpfr_ui_sub(expected.lack, 1, expected.root, MPFR_RNDN);
  return expected;
}

void expect_same(const RoundedReal& got, const Mpfr& expected, const std::string& what) {
  EXPECT_EQ(got.binary64, binary64(expected)) << what;
  EXPECT_EQ(got.digits, digits(expected)) << what;
}

TEST(AttenuationOracle, RandomRowsAndEpsilons) {
  const RandomStream random(1, "attenuation");
  int cases = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    const bool far = i % 4 == 0;
    const std::string q = random_decimal(random, 3 * i, far ? -300 : -12, far ? 300 : 6);
    const std::string e = random_decimal(random, 3 * i + 1, far ? -300 : -12, far ? 300 : 0);
    const std::string other = random_decimal(random, 3 * i + 2, -12, 0);
    const std::string what = "q " + q + " epsilon " + e + " other " + other;
    const ExactRatio exact_q = magnitude_of(*read_number(q));
    const ExactRatio exact_e = magnitude_of(*read_number(e));
    const ExactRatio exact_other = magnitude_of(*read_number(other));

    const AttenuationRow row = attenuation_of(exact_q, exact_e);
    const Expected expected = attenuation(number(q), number(e));
    expect_same(row.attenuation, expected.root, what);
    EXPECT_EQ(row.loss, binary64(expected.lack)) << what;
    EXPECT_EQ(row.q, binary64(number(q))) << what;
    Mpfr quotient(kPrecision);
    mpfr_div(quotient, number(q), number(e), MPFR_RNDN);
    EXPECT_EQ(row.q_over_epsilon, binary64(quotient)) << what;

    Mpfr upper(kPrecision);
    Mpfr lower(kPrecision);
    mpfr_add(upper, number(q), number(e), MPFR_RNDN);
    mpfr_add(lower, number(q), number(other), MPFR_RNDN);
    mpfr_div(upper, upper, lower, MPFR_RNDN);
    mpfr_sqrt(upper, upper, MPFR_RNDN);
    expect_same(*output_ratio(exact_q, exact_e, exact_other), upper, what);
    ++cases;
  }
  EXPECT_EQ(cases, kCases);
}

TEST(AttenuationOracle, LeastQOverEpsilon) {
  const RandomStream random(1, "least q over epsilon");
  int cases = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    // The value is 1/(2d) - 3/4 + d/8 - ...: from d = 1e-38 on its 40th digit can be a tie that
    // only d/8 breaks, at 1e-77 of the value and so out of sight of 256 bits.
    const std::string d = random_decimal(random, i, -37, -1);
    Mpfr value(kPrecision);  // 1 / ((1 - d)^-2 - 1)
    mpfr_ui_sub(value, 1, number(d), MPFR_RNDN);
    mpfr_sqr(value, value, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    mpfr_sub_ui(value, value, 1, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    expect_same(rounded(least_q_over_epsilon(magnitude_of(*read_number(d)))), value, d);
    ++cases;
  }
  EXPECT_EQ(cases, kCases);
}

}  // namespace
}  // namespace normcert
