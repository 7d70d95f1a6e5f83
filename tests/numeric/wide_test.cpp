#include "numeric/wide.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "numeric/random.hpp"

namespace normcert {
namespace {

bool equal(const BigDyadic& a, const BigDyadic& b) { return compare(a, b) == 0; }

TEST(Wide, KeepsNumbersOfUpTo256BitsExactly) {
  const BigDyadic longest = BigDyadic::power_of_two(256) - BigDyadic(1.0);
  EXPECT_TRUE(equal(Wide(longest).exact(), longest));
  // 257 bits: a tie, to even, up and down; and one bit beyond the tie.
  const BigDyadic one(1.0);
  const BigDyadic two(2.0);
  const BigDyadic power = BigDyadic::power_of_two(256);
  EXPECT_TRUE(equal(Wide(power + one).exact(), power));
  EXPECT_TRUE(equal(Wide(power + two + one).exact(), power + two + two));
  const BigDyadic above = power + one + BigDyadic::power_of_two(-2000);
  EXPECT_TRUE(equal(Wide(above).exact(), power + two));
  EXPECT_TRUE(equal(Wide(BigDyadic() - above).exact(), BigDyadic() - power - two));
  EXPECT_TRUE(equal(Wide(power + power - one).exact(), power + power)) << "a carry";
  EXPECT_EQ(Wide().sign(), 0);
  EXPECT_TRUE(equal(Wide().exact(), {}));
}

TEST(Wide, Binary64SurvivesTheWayThere) {
  for (const double value : {1.0, -0.1, 0x1p-1074, -0x1.fffffffffffffp1023, 3e300, 0.0}) {
    EXPECT_EQ(Wide(value).to_binary64(), value);
    EXPECT_EQ(Wide(value).sign(), value < 0 ? -1 : (value > 0 ? 1 : 0));
    EXPECT_EQ(Wide(value).magnitude().to_binary64(), std::abs(value));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Wide(BigDyadic::power_of_two(1024)).to_binary64(), infinity);
  EXPECT_EQ((Wide(-1.0) * Wide(BigDyadic::power_of_two(5000))).to_binary64(), -infinity);
  EXPECT_EQ(Wide(BigDyadic::power_of_two(-1075)).to_binary64(), 0.0);
  EXPECT_EQ(Wide(BigDyadic(3.0).times_power_of_two(-1076)).to_binary64(), 0x1p-1074);
}

TEST(Wide, HexadecimalTextIsTheNumberItself) {
  EXPECT_EQ(Wide().hex(), "0x0p+0");
  EXPECT_EQ(Wide(-6.5).hex(), "-0xdp-1");
  EXPECT_EQ(Wide(BigDyadic::power_of_two(256) - BigDyadic(1.0)).hex(),
            "0x" + std::string(64, 'f') + "p+0");
  const RandomStream random(3, "wide text");
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto power = static_cast<std::int64_t>(random.bits(3 * i) % 4000) - 2000;
    const Wide number =
        (Wide(random.normal(3 * i + 1)) / Wide(random.normal(3 * i + 2))).times_power_of_two(power);
    const auto read = read_wide(number.hex());
    ASSERT_TRUE(read);
    ASSERT_TRUE(equal(read->exact(), number.exact()));
    ASSERT_EQ(read->hex(), number.hex());
  }
  for (const char* text : {"", "1", "0x", "0xg", "nan", "-1e3", "0x1p"}) {
    EXPECT_FALSE(read_wide(text)) << text;
  }
}

TEST(Wide, IdentitiesOfExactResults) {
  const RandomStream random(1, "wide");
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const double a = std::ldexp(random.uniform(2 * i) - 0.5, static_cast<int>(i % 90));
    const double b = random.uniform(2 * i + 1) + 0.25;
    const Wide x(a);
    const Wide y(b);
    const BigDyadic exact_a(a);
    const BigDyadic exact_b(b);
    ASSERT_TRUE(equal((x + y).exact(), exact_a + exact_b));
    ASSERT_TRUE(equal((x - y).exact(), exact_a - exact_b));
    ASSERT_TRUE(equal((x * y).exact(), exact_a * exact_b));
    ASSERT_EQ(compare(x * y / y, x), 0);
    ASSERT_EQ(compare(sqrt(x * x), x.magnitude()), 0);
    ASSERT_EQ(compare(x, y), compare(exact_a, exact_b));
    ASSERT_TRUE(equal(x.times_power_of_two(-5000).exact(), exact_a.times_power_of_two(-5000)));
    ++cases;
  }
  EXPECT_EQ(cases, 5000U);
}

TEST(Wide, CopiesAndMoves) {
  Wide a(2.0);
  Wide copy(a);
  copy = copy + Wide(1.0);
  EXPECT_EQ(a.to_binary64(), 2.0);
  EXPECT_EQ(copy.to_binary64(), 3.0);
  a = copy;
  EXPECT_EQ(a.to_binary64(), 3.0);
  const Wide moved(std::move(copy));
  EXPECT_EQ(moved.to_binary64(), 3.0);
}

TEST(Wide, Scientific) {
  EXPECT_EQ(Wide(0.0).scientific(5), "0");
  EXPECT_EQ(Wide(1.0).scientific(1), "1e+00");
  EXPECT_EQ(Wide(1234.5678).scientific(1), "1e+03");
  EXPECT_EQ(Wide(1234.5678).scientific(2), "1.2e+03");
  EXPECT_EQ(Wide(1e-5).scientific(5), "1.0000e-05");
  EXPECT_EQ(Wide(-9.9999999).scientific(3), "-1.00e+01");
  EXPECT_EQ(Wide(9.5).scientific(1), "1e+01") << "a carry into a new digit";
  EXPECT_EQ(Wide(0.25).scientific(1), "2e-01") << "a tie goes to the even digit";
  EXPECT_EQ(Wide(0.75).scientific(1), "8e-01");
  EXPECT_EQ(Wide(1e300).scientific(4), "1.000e+300");
  EXPECT_EQ(Wide(0x1p-1074).scientific(40), "4.940656458412465441765687928682213723651e-324");
  EXPECT_EQ(Wide(0.1).scientific(55),
            "1.000000000000000055511151231257827021181583404541015625e-01");
  EXPECT_EQ(Wide(0.1).scientific(70),
            "1.000000000000000055511151231257827021181583404541015625000000000000000e-01");
  EXPECT_EQ((Wide(1.0) / Wide(3.0)).scientific(40),
            "3.333333333333333333333333333333333333333e-01");
}

TEST(Wide, Fixed) {
  EXPECT_EQ(Wide(1234.5678).fixed(0), "1235");
  EXPECT_EQ(Wide(1234.5678).fixed(2), "1234.57");
  EXPECT_EQ(Wide(0.0).fixed(3), "0.000");
  EXPECT_EQ(Wide(0.125).fixed(2), "0.12");
  EXPECT_EQ(Wide(0.375).fixed(2), "0.38");
  EXPECT_EQ(Wide(0.006).fixed(2), "0.01");
  EXPECT_EQ(Wide(0.001).fixed(2), "0.00");
  EXPECT_EQ(Wide(99.999).fixed(2), "100.00");
  EXPECT_EQ(Wide(0.5).fixed(0), "0");
  EXPECT_EQ(Wide(0.75).fixed(0), "1");
  EXPECT_EQ(Wide(1e22).fixed(1), "10000000000000000000000.0");
}

}  // namespace
}  // namespace normcert
