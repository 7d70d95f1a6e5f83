// Wide against MPFR at 256 bits: both round to nearest even, so all bits must agree.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "numeric/mpfr_number.hpp"
#include "numeric/random.hpp"
#include "numeric/wide.hpp"

namespace normcert {
namespace {

// 1 to 8 words, many of them all zeros or all ones, so that sums cancel and ties occur.
BigDyadic sample(const RandomStream& random, std::uint64_t index, int words, int exponents) {
  const std::uint64_t choice = random.bits(16 * index);
  BigDyadic value;
  for (int word = 0; word < words; ++word) {
    const auto position = 16 * index + 1 + static_cast<std::uint64_t>(word);
    const std::uint64_t kind = choice >> (2 * word + 8) & 3;
    const std::uint64_t bits =
        kind == 0 ? 0 : (kind == 1 ? ~std::uint64_t{0} : random.bits(position));
    value = value.times_power_of_two(64) + BigDyadic::integer(bits);
  }
  value += BigDyadic::integer(choice >> 7 & 1);
  const std::int64_t exponent =
      static_cast<std::int64_t>(choice >> 40) % (2 * exponents + 1) - exponents;
  value = value.times_power_of_two(exponent);
  return (choice & 1) != 0 ? BigDyadic() - value : value;
}

bool same(const Wide& got, const MpfrNumber& expected) {
  MpfrNumber number(Wide::kPrecision);
  number.set_exactly(got.exact());
  return mpfr_equal_p(number.get(), expected.get()) != 0;
}

TEST(WideOracle, ConversionOfLongNumbers) {
  const RandomStream random(1, "conversion");
  std::uint64_t cases = 0;
  MpfrNumber exact(2000);
  MpfrNumber expected(Wide::kPrecision);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const BigDyadic value = sample(random, i, 1 + static_cast<int>(i % 8), 3000);
    exact.set_exactly(value);
    mpfr_set(expected.get(), exact.get(), MPFR_RNDN);
    ASSERT_TRUE(same(Wide(value), expected)) << i;
    ++cases;
  }
  EXPECT_EQ(cases, 20000U);
}

TEST(WideOracle, OperationsAreCorrectlyRounded) {
  const RandomStream random(1, "operations");
  std::uint64_t cases = 0;
  MpfrNumber a(Wide::kPrecision);
  MpfrNumber b(Wide::kPrecision);
  MpfrNumber expected(Wide::kPrecision);
  const auto check = [&](const Wide& got) {
    ++cases;
    return same(got, expected);
  };
  for (std::uint64_t i = 0; i < 40000; ++i) {
    // Exponents a little apart (cancellation), about 256 apart (sticky bits), and far apart.
    const std::array<int, 3> exponents{40, 300, 5000};
    const BigDyadic exact_a = sample(random, 2 * i, 1 + static_cast<int>(i % 4), exponents[i % 3]);
    const BigDyadic exact_b =
        sample(random, 2 * i + 1, 1 + static_cast<int>(i / 4 % 4), exponents[i % 3]);
    const Wide x(exact_a);
    const Wide y(exact_b);
    a.set_exactly(x.exact());
    b.set_exactly(y.exact());
    mpfr_add(expected.get(), a.get(), b.get(), MPFR_RNDN);
    ASSERT_TRUE(check(x + y)) << "sum " << i;
    mpfr_sub(expected.get(), a.get(), b.get(), MPFR_RNDN);
    ASSERT_TRUE(check(x - y)) << "difference " << i;
    mpfr_mul(expected.get(), a.get(), b.get(), MPFR_RNDN);
    ASSERT_TRUE(check(x * y)) << "product " << i;
    if (y.sign() != 0) {
      mpfr_div(expected.get(), a.get(), b.get(), MPFR_RNDN);
      ASSERT_TRUE(check(x / y)) << "quotient " << i;
    }
    mpfr_abs(expected.get(), a.get(), MPFR_RNDN);
    mpfr_sqrt(expected.get(), expected.get(), MPFR_RNDN);
    ASSERT_TRUE(check(sqrt(x.magnitude()))) << "root " << i;
    ASSERT_EQ(compare(x, y),
              mpfr_cmp(a.get(), b.get()) < 0 ? -1 : (mpfr_cmp(a.get(), b.get()) > 0));
  }
  EXPECT_GT(cases, 190000U);
}

// Neighbours of 2^k and tiny terms at every distance around the precision: where a subtraction
// loses a binade, half an ulp below and a quarter above are different decisions.
TEST(WideOracle, TinyTermsAroundAPowerOfTwo) {
  std::uint64_t cases = 0;
  const BigDyadic ulp = BigDyadic::power_of_two(-255);
  MpfrNumber a(Wide::kPrecision);
  MpfrNumber b(Wide::kPrecision);
  MpfrNumber expected(Wide::kPrecision);
  for (const int ulps : {-3, -2, -1, 0, 1, 2, 3}) {
    const BigDyadic near_one =
        BigDyadic(1.0) + BigDyadic(static_cast<double>(ulps) / (ulps < 0 ? 2 : 1)) * ulp;
    for (int distance = 250; distance <= 262; ++distance) {
      for (const double factor : {1.0, 1.5, 1 + 0x1p-52, 2 - 0x1p-52, 1.25}) {
        const BigDyadic tiny = BigDyadic(factor).times_power_of_two(-distance);
        for (const bool swapped : {false, true}) {
          const Wide x(swapped ? tiny : near_one);
          const Wide y(swapped ? near_one : tiny);
          a.set_exactly(x.exact());
          b.set_exactly(y.exact());
          mpfr_sub(expected.get(), a.get(), b.get(), MPFR_RNDN);
          EXPECT_TRUE(same(x - y, expected)) << ulps << " " << distance << " " << factor;
          mpfr_add(expected.get(), a.get(), b.get(), MPFR_RNDN);
          EXPECT_TRUE(same(x + y, expected)) << ulps << " " << distance << " " << factor;
          cases += 2;
        }
      }
    }
  }
  EXPECT_EQ(cases, 7U * 13 * 5 * 2 * 2);
}

std::string scientific_by_mpfr(const MpfrNumber& value, int digits) {
  if (mpfr_zero_p(value.get()) != 0) return "0";
  std::vector<char> text(static_cast<std::size_t>(digits) + 64);
  mpfr_snprintf(text.data(), text.size(), "%.*RNe", digits - 1, value.get());
  return text.data();
}

TEST(WideOracle, DecimalText) {
  const RandomStream random(1, "text");
  std::uint64_t cases = 0;
  MpfrNumber number(Wide::kPrecision);
  std::vector<char> fixed(4000);
  const auto check = [&](const Wide& value) {
    number.set_exactly(value.exact());
    for (const int digits : {1, 2, 3, 7, 17, 40, 70}) {
      ASSERT_EQ(value.scientific(digits), scientific_by_mpfr(number, digits));
      ++cases;
    }
    for (const int decimals : {0, 1, 2, 5, 30}) {
      mpfr_snprintf(fixed.data(), fixed.size(), "%.*RNf", decimals, number.get());
      ASSERT_EQ(value.fixed(decimals), fixed.data());
      ++cases;
    }
  };
  for (std::uint64_t i = 0; i < 5000; ++i) {
    check(Wide(sample(random, i, 1 + static_cast<int>(i % 4), i % 2 == 0 ? 1200 : 130)));
  }
  // Ties of few digits, and runs of nines that carry.
  for (int i = 1; i < 2000; ++i) {
    check(Wide(i / 64.0));
    check(Wide(static_cast<double>(i * 125)));
    check(Wide(-1.0) + Wide(BigDyadic::power_of_two(-i % 300)));
  }
  EXPECT_EQ(cases, (5000U + 3 * 1999) * 12);
}

}  // namespace
}  // namespace normcert
