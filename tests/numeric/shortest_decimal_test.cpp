#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "numeric/decimal.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

TEST(ShortestDecimal, ByHand) {
  EXPECT_EQ(shortest_decimal(0.125), "0.125");
  EXPECT_EQ(shortest_decimal(1.0), "1");
  EXPECT_EQ(shortest_decimal(0.0), "0");
  EXPECT_EQ(shortest_decimal(-1.5), "-1.5");
  EXPECT_EQ(shortest_decimal(0.0001), "0.0001");
  EXPECT_EQ(shortest_decimal(0.00001), "1e-05");
  EXPECT_EQ(shortest_decimal(1e15), "1000000000000000");
  EXPECT_EQ(shortest_decimal(1e16), "1e+16");
  EXPECT_EQ(shortest_decimal(0.1F), "0.1");
  EXPECT_EQ(shortest_decimal(0.1), "0.1");
  EXPECT_EQ(shortest_decimal(static_cast<double>(0.1F)), "0.10000000149011612");
  EXPECT_EQ(shortest_decimal(std::numeric_limits<double>::infinity()), "inf");
}

TEST(ShortestDecimal, ReadsBackToTheSameNumber) {
  const RandomStream random(1, "shortest decimal");
  int cases = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto value =
        std::ldexp(random.normal(2 * i), static_cast<int>(1800 * random.uniform(2 * i + 1)) - 900);
    ASSERT_EQ(std::strtod(shortest_decimal(value).c_str(), nullptr), value);
    ++cases;
  }
  EXPECT_EQ(cases, 20000);
}

TEST(BitsText, AsManyDigitsAsTheFormatTakes) {
  EXPECT_EQ(bits_text({0x7fc0, &kBf16}), "7fc0");
  EXPECT_EQ(bits_text({0x1, &kFp16}), "0001");
  EXPECT_EQ(bits_text({0xff800000, &kFp32}), "ff800000");
  EXPECT_EQ(bits_text({0x7ff0000000000000, &kFp64}), "7ff0000000000000");
}

}  // namespace
}  // namespace normcert
