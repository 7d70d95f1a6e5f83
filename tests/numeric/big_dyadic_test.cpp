#include "numeric/big_dyadic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "numeric/random.hpp"

namespace normcert {
namespace {

__extension__ using Int128 = __int128;

bool equal(const BigDyadic& a, const BigDyadic& b) { return compare(a, b) == 0; }
BigDyadic negated(const BigDyadic& a) { return BigDyadic() - a; }

BigDyadic of_int128(Int128 value, int exponent) {
  const bool negative = value < 0;
  return Dyadic{negative, negative ? -static_cast<Uint128>(value) : static_cast<Uint128>(value),
                exponent};
}

// Numbers of many lengths and exponents, zeros and powers of two among them.
BigDyadic sample(const RandomStream& random, std::uint64_t index) {
  const std::uint64_t shape = random.bits(8 * index);
  if (shape % 16 == 0) return {};
  BigDyadic value;
  for (std::uint64_t word = 0; word < 1 + shape / 16 % 4; ++word) {
    const std::uint64_t bits = random.bits(8 * index + 1 + word);
    value = value.times_power_of_two(64) +
            BigDyadic::integer(shape % 16 == 1 ? std::uint64_t{1} << bits % 64 : bits);
  }
  const std::int64_t exponent = static_cast<std::int64_t>(shape / 256 % 4001) - 2000;
  value = value.times_power_of_two(exponent);
  return shape >> 63 != 0 ? negated(value) : value;
}

TEST(BigDyadic, SmallNumbersLikeIntegers) {
  const RandomStream random(1, "small");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto a = static_cast<Int128>(static_cast<std::int64_t>(random.bits(3 * i))) >> i % 60;
    const auto b = static_cast<Int128>(static_cast<std::int64_t>(random.bits(3 * i + 1))) >> i % 7;
    const int shift = static_cast<int>(random.bits(3 * i + 2) % 40);
    // b is written with a lower exponent than a, so that the sum has to align them.
    const BigDyadic big_a = of_int128(a, shift - 20);
    const BigDyadic big_b = of_int128(b, -20);
    const Int128 aligned_a = a * (Int128{1} << shift);
    ASSERT_TRUE(equal(big_a + big_b, of_int128(aligned_a + b, -20)));
    ASSERT_TRUE(equal(big_b + big_a, of_int128(aligned_a + b, -20)));
    ASSERT_TRUE(equal(big_a - big_b, of_int128(aligned_a - b, -20)));
    ASSERT_TRUE(equal(big_a * big_b, of_int128(a * b, shift - 40)));
    ASSERT_EQ(compare(big_a, big_b), aligned_a < b ? -1 : (aligned_a > b ? 1 : 0));
    ASSERT_EQ(big_a.sign(), a < 0 ? -1 : (a > 0 ? 1 : 0));
    ASSERT_TRUE(equal(big_a.magnitude(), of_int128(a < 0 ? -a : a, shift - 20)));
    ++cases;
  }
  EXPECT_EQ(cases, 20000U);
}

TEST(BigDyadic, AlgebraicLaws) {
  const RandomStream random(1, "laws");
  std::uint64_t cases = 0;
  int zeros = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const BigDyadic a = sample(random, 3 * i);
    const BigDyadic b = sample(random, 3 * i + 1);
    const BigDyadic c = sample(random, 3 * i + 2);
    zeros += a.sign() == 0 ? 1 : 0;
    ASSERT_TRUE(equal(a + b, b + a));
    ASSERT_TRUE(equal(a * b, b * a));
    ASSERT_TRUE(equal((a + b) + c, a + (b + c)));
    ASSERT_TRUE(equal((a * b) * c, a * (b * c)));
    ASSERT_TRUE(equal(a * (b + c), a * b + a * c));
    ASSERT_TRUE(equal((a + b) - b, a));
    ASSERT_TRUE(equal(a - b, negated(b - a)));
    ASSERT_EQ((a - a).sign(), 0);
    ASSERT_EQ(compare(a, b), (a - b).sign());
    ASSERT_EQ(compare(a, b), -compare(b, a));
    ASSERT_EQ(compare(a + c, b + c), compare(a, b));
    ASSERT_EQ((a * b).sign(), a.sign() * b.sign());
    ASSERT_TRUE(equal(a * BigDyadic::power_of_two(-77), a.times_power_of_two(-77)));
    ASSERT_GE((a.magnitude() + b.magnitude() - (a + b).magnitude()).sign(), 0);
    ++cases;
  }
  EXPECT_EQ(cases, 5000U);
  EXPECT_GT(zeros, 200);
}

TEST(BigDyadic, AliasesCopiesAndMoves) {
  BigDyadic a(1.5);
  const BigDyadic& same = a;
  a += same;
  EXPECT_TRUE(equal(a, BigDyadic(3.0)));
  a *= same;
  EXPECT_TRUE(equal(a, BigDyadic(9.0)));
  BigDyadic copy(a);
  copy += BigDyadic(1.0);
  EXPECT_TRUE(equal(a, BigDyadic(9.0)));
  a = same;
  EXPECT_TRUE(equal(a, BigDyadic(9.0)));
  BigDyadic moved(std::move(copy));
  EXPECT_TRUE(equal(moved, BigDyadic(10.0)));
  a = std::move(moved);
  EXPECT_TRUE(equal(a, BigDyadic(10.0)));
  a -= same;
  EXPECT_EQ(a.sign(), 0);
  EXPECT_TRUE(equal(a, BigDyadic(Dyadic{true, 0, 12345})));
  EXPECT_TRUE(equal(BigDyadic(Dyadic{true, 0, 12345}) + BigDyadic(2.0), BigDyadic(2.0)));
}

// Comparing numbers 2^60 apart, or spelled with far exponents, must not spell them out.
TEST(BigDyadic, HugeExponentsCostNothing) {
  const std::int64_t far = std::int64_t{1} << 60;
  const BigDyadic huge = BigDyadic::power_of_two(far);
  const BigDyadic tiny = BigDyadic::power_of_two(-far);
  EXPECT_EQ(compare(huge, tiny), 1);
  EXPECT_EQ(compare(tiny, huge), -1);
  EXPECT_EQ(compare(negated(huge), tiny), -1);
  EXPECT_EQ(compare(negated(huge), negated(tiny)), -1);
  EXPECT_EQ(compare(negated(tiny), negated(huge)), 1);
  EXPECT_EQ(compare(tiny, BigDyadic()), 1);
  EXPECT_TRUE(equal(huge * tiny, BigDyadic(1.0)));
  EXPECT_EQ(compare(huge.times_power_of_two(1), huge + huge), 0);
  EXPECT_EQ(compare(huge * BigDyadic(3.0), huge * BigDyadic(3.5)), -1);
  EXPECT_EQ((huge - huge).sign(), 0);
  EXPECT_EQ(leading_bits(huge).exponent, far - 63);
  EXPECT_EQ(leading_bits(tiny).top, std::uint64_t{1} << 63);
  const LeadingBits ratio = leading_bits_of_ratio(tiny, huge * BigDyadic(3.0));
  EXPECT_EQ(ratio.exponent, -2 * far - 65);
  EXPECT_EQ(ratio.top, 0xaaaaaaaaaaaaaaaaU);
  EXPECT_TRUE(ratio.sticky);
  const LeadingBits root = leading_bits_of_root(huge, tiny);
  EXPECT_EQ(root.exponent, far - 63);
  EXPECT_EQ(root.top, std::uint64_t{1} << 63);
  EXPECT_FALSE(root.sticky);
}

TEST(BigDyadic, DecimalIntegers) {
  EXPECT_TRUE(equal(BigDyadic::decimal_integer("0"), {}));
  EXPECT_TRUE(equal(BigDyadic::decimal_integer("000"), {}));
  EXPECT_TRUE(equal(BigDyadic::decimal_integer("010"), BigDyadic::integer(10)))
      << "no octal reading";
  EXPECT_TRUE(equal(BigDyadic::decimal_integer("089"), BigDyadic::integer(89)));
  EXPECT_TRUE(equal(BigDyadic::decimal_integer("18446744073709551615"),
                    BigDyadic::integer(~std::uint64_t{0})));
  EXPECT_TRUE(equal(BigDyadic::decimal_integer("340282366920938463463374607431768211456"),
                    BigDyadic::power_of_two(128)));
  for (unsigned n = 0; n < 400; n += 7) {
    EXPECT_TRUE(
        equal(BigDyadic::power_of_ten(n), BigDyadic::decimal_integer('1' + std::string(n, '0'))));
  }
}

TEST(BigDyadic, LeadingBitsLikeThoseOfDyadic) {
  const RandomStream random(1, "leading");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Uint128 wide = Uint128{random.bits(2 * i)} << 64 | random.bits(2 * i + 1);
    const Dyadic value{i % 2 == 1, wide >> i % 128, static_cast<int>(i) - 10000};
    const LeadingBits expected = leading_bits(value);
    const BigDyadic big(value);
    const std::vector<LeadingBits> all{
        leading_bits(big), leading_bits_of_ratio(big, BigDyadic::integer(1)),
        leading_bits_of_ratio(big * BigDyadic(-7.0), BigDyadic(7.0)),
        leading_bits_of_root(big * big, BigDyadic::integer(1)),
        leading_bits_of_root(big * big * BigDyadic(10.0), BigDyadic(-10.0))};
    for (const LeadingBits& got : all) {
      ASSERT_EQ(got.top, expected.top);
      ASSERT_EQ(got.exponent, expected.exponent);
      ASSERT_EQ(got.sticky, expected.sticky);
      ++cases;
    }
  }
  EXPECT_EQ(cases, 100000U);
  EXPECT_EQ(leading_bits_of_ratio({}, BigDyadic(3.0)).top, 0U);
  EXPECT_EQ(leading_bits_of_root({}, BigDyadic(3.0)).top, 0U);
}

// top <= v / 2^exponent < top + 1, by multiplication alone; v = n / d or its root.
void expect_enclosed(const BigDyadic& n, const BigDyadic& d, const LeadingBits& got, bool root) {
  ASSERT_EQ(got.top >> 63, 1U);
  const auto against = [&](const BigDyadic& top) {  // sign of v - top 2^exponent
    const BigDyadic value = top.times_power_of_two(got.exponent);
    return compare(n, (root ? value * value : value) * d);
  };
  ASSERT_EQ(against(BigDyadic::integer(got.top)), got.sticky ? 1 : 0);
  ASSERT_EQ(against(BigDyadic::integer(got.top) + BigDyadic::integer(1)), -1);
}

TEST(BigDyadic, RatiosAndRootsAreEnclosed) {
  const RandomStream random(1, "enclosed");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const BigDyadic n = sample(random, 2 * i).magnitude();
    const BigDyadic d = sample(random, 2 * i + 1).magnitude();
    if (n.sign() == 0 || d.sign() == 0) continue;
    ++cases;
    expect_enclosed(n, d, leading_bits_of_ratio(n, d), false);
    expect_enclosed(n, d, leading_bits_of_root(n, d), true);
  }
  EXPECT_GT(cases, 3000U);
}

// Perfect squares and what lies next to them: only the remainder of the division tells.
TEST(BigDyadic, RootsNextToPerfectSquares) {
  const RandomStream random(1, "squares");
  std::uint64_t sticky = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const BigDyadic side = BigDyadic::integer(random.bits(2 * i) >> i % 63 | 1);
    const BigDyadic d = BigDyadic::integer(random.bits(2 * i + 1) | 1);
    const BigDyadic step = BigDyadic::power_of_two(-300);
    const BigDyadic square = side * side * d;
    for (const BigDyadic& n : {square - step, square, square + step}) {
      const LeadingBits root = leading_bits_of_root(n, d);
      expect_enclosed(n, d, root, true);
      sticky += root.sticky ? 1 : 0;
    }
  }
  EXPECT_EQ(sticky, 6000U);
}

}  // namespace
}  // namespace normcert
