#include "numeric/dyadic.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

constexpr Uint128 kOne = 1;

TEST(Dyadic, BitLength) {
  EXPECT_EQ(bit_length(0), 0);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(bit_length(kOne << i), i + 1);
    EXPECT_EQ(bit_length((kOne << i) | 1), i + 1);
    EXPECT_EQ(bit_length((kOne << i) - 1), i);
  }
  EXPECT_EQ(bit_length(~Uint128{0}), 128);
}

TEST(Dyadic, LeadingBitsOfEveryLength) {
  const LeadingBits zero = leading_bits(Dyadic{true, 0, 77});
  EXPECT_EQ(zero.top, 0U);
  EXPECT_FALSE(zero.sticky);
  for (int length = 1; length <= 128; ++length) {
    const Uint128 ones = ~Uint128{0} >> (128 - length);
    const LeadingBits all = leading_bits(Dyadic{false, ones, -9});
    EXPECT_EQ(all.top, length >= 64 ? ~std::uint64_t{0} : ~std::uint64_t{0} << (64 - length));
    EXPECT_EQ(all.exponent, -9 + length - 64);
    EXPECT_EQ(all.sticky, length > 64);
    const LeadingBits first_and_last = leading_bits(Dyadic{false, (kOne << (length - 1)) | 1, -9});
    const std::uint64_t last = length > 64 ? 0 : std::uint64_t{1} << (64 - length);
    EXPECT_EQ(first_and_last.top, std::uint64_t{1} << 63 | last) << length;
    EXPECT_EQ(first_and_last.sticky, length > 64);
    EXPECT_FALSE(leading_bits(Dyadic{false, kOne << (length - 1), -9}).sticky);
  }
  const int least = std::numeric_limits<int>::min();
  EXPECT_EQ(leading_bits(Dyadic{false, 1, least}).exponent, std::int64_t{least} - 63);
}

TEST(Dyadic, OfBinary64IsExact) {
  for (const double value : {1.0, -0.1, 0x1p-1074, -0x1.fffffffffffffp1023, 0x1.8p-1022, 3e300}) {
    const Dyadic d = dyadic_of(value);
    EXPECT_EQ(std::ldexp(static_cast<double>(d.magnitude), d.exponent), std::abs(value));
    EXPECT_EQ(d.negative, value < 0);
  }
  EXPECT_TRUE(dyadic_of(-0.0).negative);
  EXPECT_EQ(dyadic_of(-0.0).magnitude, 0U);
}

// fma(a, b, -ab) is the error of the rounded product, exactly.
TEST(Dyadic, ProductsAgreeWithFma) {
  const RandomStream random(1, "products");
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double a = random.uniform(2 * i) - 0.5;
    const double b = random.uniform(2 * i + 1) - 0.5;
    const double head = a * b;
    const double tail = std::fma(a, b, -head);
    const BigDyadic product(multiply(dyadic_of(a), dyadic_of(b)));
    ASSERT_EQ(compare(product, BigDyadic(head) + BigDyadic(tail)), 0) << a << " " << b;
  }
  EXPECT_TRUE(multiply({true, 3, 4}, {false, 5, -1}).negative);
  EXPECT_FALSE(multiply({true, 3, 4}, {true, 5, -1}).negative);
  EXPECT_TRUE(multiply({true, 0, 4}, {false, 5, -1}).negative) << "the sign of a zero counts too";
  const Dyadic greatest = multiply({false, ~std::uint64_t{0}, 0}, {false, ~std::uint64_t{0}, 0});
  EXPECT_TRUE(greatest.magnitude == ~Uint128{0} - (Uint128{~std::uint64_t{0}} << 1));
}

TEST(Dyadic, MagnitudesCompareAsExactNumbers) {
  const int least = std::numeric_limits<int>::min();
  const int greatest = std::numeric_limits<int>::max();
  // In ascending order; a group holds different spellings of one value.
  const std::vector<std::vector<Dyadic>> ascending{
      {{false, 0, 0}, {true, 0, greatest}, {false, 0, least}},
      {{false, 1, least}},
      {{true, 3, least}},
      {{false, 1, -2}, {true, 4, -4}, {false, kOne << 127, -129}},
      {{false, (kOne << 127) | 1, -129}},
      {{true, ~Uint128{0}, -129}},
      {{false, 1, -1}},
      {{false, ~Uint128{0}, 0}},
      {{true, 1, 128}, {false, kOne << 127, 1}},
      {{false, 1, greatest}},
      {{false, ~Uint128{0}, greatest}},
  };
  int pairs = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      for (const Dyadic& a : ascending[i]) {
        for (const Dyadic& b : ascending[j]) {
          ++pairs;
          EXPECT_EQ(compare_magnitude(a, b), i < j ? -1 : (i > j ? 1 : 0)) << i << " " << j;
        }
      }
    }
  }
  EXPECT_EQ(pairs, 16 * 16);
}

}  // namespace
}  // namespace normcert
