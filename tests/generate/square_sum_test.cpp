#include "generate/square_sum.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "numeric/random.hpp"

namespace normcert {
namespace {

TEST(SquareSum, FloorSqrt) {
  EXPECT_EQ(floor_sqrt(0), 0U);
  EXPECT_EQ(floor_sqrt(3), 1U);
  EXPECT_EQ(floor_sqrt(4), 2U);
  EXPECT_EQ(floor_sqrt(~Uint128{0}), ~std::uint64_t{0});
  const RandomStream stream(1, "floor_sqrt");
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t root = stream.bits(i) >> (i % 64);
    const Uint128 square = Uint128{root} * root;
    EXPECT_EQ(floor_sqrt(square), root);
    if (root > 0) {
      EXPECT_EQ(floor_sqrt(square - 1), root - 1);
    }
    EXPECT_EQ(floor_sqrt(square + root), root);
  }
}

TEST(SquareSum, FloorToPrecision) {
  EXPECT_EQ(floor_to_precision(0, 8), 0U);
  EXPECT_EQ(floor_to_precision(255, 8), 255U);
  EXPECT_EQ(floor_to_precision(257, 8), 256U);
  EXPECT_EQ(floor_to_precision(0x1FF, 8), 0x1FEU);
  EXPECT_EQ(floor_to_precision(~std::uint64_t{0}, 53), ~std::uint64_t{0} << 11);
}

TEST(SquareSum, FillsUpToWhatIsMissing) {
  const RandomStream stream(2, "fill");
  int complete = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const int precision = i % 2 == 0 ? 8 : 24;
    const Uint128 sum = (stream.bits(i) >> (precision == 8 ? 44 : 10)) + 1;
    std::vector<std::uint64_t> numbers(16);
    const Uint128 missing = fill_with_squares(sum, precision, numbers);
    Uint128 total = missing;
    for (const std::uint64_t number : numbers) {
      EXPECT_EQ(floor_to_precision(number, precision), number);
      total += Uint128{number} * number;
    }
    EXPECT_EQ(total, sum);
    complete += missing == 0 ? 1 : 0;
  }
  EXPECT_GT(complete, 400);
}

}  // namespace
}  // namespace normcert
