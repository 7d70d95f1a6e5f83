#include "reference/row_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/rounding.hpp"
#include "reference/row_source.hpp"

namespace normcert {
namespace {

BigDyadic exact_sum(const Case& value, std::size_t row) {
  BigDyadic sum;
  for (std::size_t i = 0; i < value.x.width; ++i) {
    BigDyadic z(decode(value.x.at(row, i)));
    if (value.residual) z += BigDyadic(decode(value.residual->at(row, i)));
    sum += z * z;
  }
  return sum;
}

bool encloses(const RowSum& bounds, const BigDyadic& sum) {
  return compare(BigDyadic(bounds.low), sum) <= 0 &&
         (std::isinf(bounds.high) || compare(sum, BigDyadic(bounds.high)) <= 0);
}

TEST(RowSums, EncloseTheExactSum) {
  RowSource source(11, "row sums");
  int rows = 0;
  int tight = 0;
  for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (int i = 0; i < 1500; ++i) {
      const RowNumbers numbers = i % 3 == 0 ? source.with_residual(*format) : source.any(*format);
      const Case value = built_case(numbers);
      const std::vector<RowSum> sums = row_sums(value, 0, 1);
      ASSERT_EQ(sums.size(), 1U);
      ASSERT_TRUE(sums[0].finite);
      ASSERT_TRUE(encloses(sums[0], exact_sum(value, 0))) << format->name << ' ' << i;
      ++rows;
      if (sums[0].high <= sums[0].low * (1 + 1e-12)) ++tight;
    }
  }
  EXPECT_EQ(rows, 6000);
  // Anything encloses; only what binary64 cannot square may be left open.
  EXPECT_GT(tight, 5000);
}

TEST(RowSums, TheEndsOfBinary64AreLeftOpen) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {1e200, 1e-200, 0x1p-1074, 0.0}) {
    const Case value = built_case({.format = &kFp64, .x = {x, 0}, .epsilon = 1});
    const RowSum sum = row_sums(value, 0, 1).at(0);
    EXPECT_TRUE(sum.finite);
    EXPECT_EQ(sum.low, 0);
    EXPECT_EQ(sum.high, infinity);
  }
  // The ends of a format of 24 bits are not: their squares are numbers of binary64.
  const Case narrow = built_case({.format = &kFp32, .x = {0x1p-149, 0}, .epsilon = 1});
  const RowSum sum = row_sums(narrow, 0, 1).at(0);
  EXPECT_LE(sum.low, 0x1p-298);
  EXPECT_GE(sum.high, 0x1p-298);
  EXPECT_LT(sum.high, 0x1.0001p-298);
  const Case zero = built_case({.format = &kFp32, .x = {0, -0.0}, .epsilon = 1});
  EXPECT_EQ(row_sums(zero, 0, 1).at(0).high, 0);
}

TEST(RowSums, RowsOfATensorAndNonFiniteOnes) {
  const double values[] = {3, 4, 1, std::numeric_limits<double>::infinity(), 5, 12, 0, 0};
  Tensor x(kBf16, 4, 2);
  for (std::size_t i = 0; i < 8; ++i) x.set(i / 2, i % 2, convert(code_of(values[i]), kBf16));
  Case value = built_case({.format = &kBf16, .x = {1, 1}, .epsilon = 1});
  value.x = std::move(x).share();
  const std::vector<RowSum> sums = row_sums(value, 1, 3);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_FALSE(sums[0].finite);
  EXPECT_TRUE(sums[1].low < 169 && sums[1].high > 169 && sums[1].high < 169.0001);
  EXPECT_TRUE(sums[2].finite && sums[2].high == 0);
}

}  // namespace
}  // namespace normcert
