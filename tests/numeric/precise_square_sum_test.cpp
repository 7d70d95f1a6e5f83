// Sums of squares in double-double arithmetic, against exact ones, on every vector target.
#include "numeric/precise_square_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/random.hpp"
#include "numeric/simd_target.hpp"

namespace normcert {
namespace {

BigDyadic exact_sum(const std::vector<double>& values) {
  BigDyadic sum;
  for (const double value : values) sum += BigDyadic(value) * BigDyadic(value);
  return sum;
}

// 37 additions of at most 3.0001 u^2 each.
void expect_close(const DoubleDouble& found, const BigDyadic& expected) {
  const BigDyadic error =
      (BigDyadic(found.high) + BigDyadic(found.low) - expected).magnitude().times_power_of_two(106);
  EXPECT_LE(compare(error, BigDyadic(3.0001 * kPreciseBlockDepth) * expected), 0);
}

TEST(PreciseSquareSum, IsWithinItsBoundAndTheSameOnEveryTarget) {
  const RandomStream random(1, "precise square sum");
  std::uint64_t place = 0;
  int sums = 0;
  for (const std::size_t count : {1U, 7U, 31U, 32U, 33U, 100U, 512U, 1000U, 1024U}) {
    for (const bool is_short : {false, true}) {
      for (int turn = 0; turn < 20; ++turn) {
        std::vector<double> values(count);
        for (double& value : values) {
          const int exponent = static_cast<int>(random.bits(place) % 40) - 20;
          value = std::ldexp(random.normal(place), turn % 2 == 0 ? 0 : 5 * exponent);
          if (is_short) value = static_cast<float>(value);
          ++place;
        }
        std::vector<DoubleDouble> found;
        for (const std::string_view target : simd_targets()) {
          ASSERT_TRUE(force_simd_target(target));
          found.push_back(precise_square_sum(values.data(), count, is_short));
        }
        release_simd_target();
        expect_close(found[0], exact_sum(values));
        for (const DoubleDouble& other : found) {
          EXPECT_EQ(other.high, found[0].high);
          EXPECT_EQ(other.low, found[0].low);
        }
        ++sums;
      }
    }
  }
  EXPECT_EQ(sums, 9 * 2 * 20);
}

TEST(PreciseSquareSum, KeepsWhatBinary64Loses) {
  const std::vector<double> values{0x1p30, 0x1p-20, 0x1p-23};
  for (const bool is_short : {false, true}) {
    const DoubleDouble sum = precise_square_sum(values.data(), 3, is_short);
    EXPECT_EQ(sum.high, 0x1p60);
    EXPECT_EQ(sum.low, 0x1p-40 + 0x1p-46);
  }
}

TEST(MagnitudeRange, LeavesZerosOut) {
  for (const std::string_view target : simd_targets()) {
    ASSERT_TRUE(force_simd_target(target));
    for (std::size_t least = 0; least < 19; ++least) {
      std::vector<double> values(19, -2.0);
      values[least] = 0.5;
      values[(least + 5) % 19] = -0.0;
      values[(least + 11) % 19] = -3;
      const MagnitudeRange range = magnitude_range(values.data(), values.size());
      EXPECT_EQ(range.least, 0.5) << target << ' ' << least;
      EXPECT_EQ(range.greatest, 3) << target << ' ' << least;
    }
    const std::vector<double> zeros(10);
    const MagnitudeRange none = magnitude_range(zeros.data(), zeros.size());
    EXPECT_EQ(none.least, 0);
    EXPECT_EQ(none.greatest, 0);
  }
  release_simd_target();
}

}  // namespace
}  // namespace normcert
