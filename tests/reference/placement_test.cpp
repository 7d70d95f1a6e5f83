// Epsilon in other places than the definition's, by hand and by the identities between the places.
#include "reference/placement.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/row_source.hpp"

namespace normcert {
namespace {

constexpr std::array<Placement, 8> kAll{
    Placement::kInside,   Placement::kOutside, Placement::kAfterRsqrt,  Placement::kClampQ,
    Placement::kClampRms, Placement::kOnSum,   Placement::kScaledByMax, Placement::kNone};

// Whether a and b differ by at most 2^-247 of b: each is allowed 2^-248.
bool agree(const Wide& a, const Wide& b) {
  return compare((a - b).magnitude(), b.magnitude().times_power_of_two(-247)) <= 0;
}

TEST(Placement, Names) {
  ASSERT_EQ(placement_names().size(), kAll.size());
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(find_placement(placement_names()[i]), kAll[i]);
  }
  EXPECT_EQ(find_placement("inside "), std::nullopt);
  EXPECT_EQ(find_placement(""), std::nullopt);
}

// x = (1, 7): q = 25, sqrt(q) = 5, largest 7. The second element is 7 r.
TEST(Placement, ByHand) {
  const Case value = built_case({.x = {1, 7}});
  const ExactRow row(value, 0);
  struct Entry {
    Placement placement;
    double epsilon;
    double numerator, denominator;  // of y[1]
  };
  for (const Entry& entry : {
           Entry{Placement::kInside, 75, 7, 10},
           Entry{Placement::kOutside, 5, 7, 10},
           Entry{Placement::kAfterRsqrt, 0.5, 49, 10},
           Entry{Placement::kClampQ, 100, 7, 10},
           Entry{Placement::kClampQ, 24, 7, 5},
           Entry{Placement::kClampRms, 10, 7, 10},
           Entry{Placement::kClampRms, 4, 7, 5},
           Entry{Placement::kOnSum, 150, 7, 10},
           Entry{Placement::kNone, 75, 7, 5},
       }) {
    const auto y = value_with_placement(row, 1, entry.placement, entry.epsilon);
    ASSERT_TRUE(y);
    EXPECT_TRUE(agree(*y, Wide(entry.numerator) / Wide(entry.denominator)))
        << placement_names()[static_cast<std::size_t>(entry.placement)];
  }
  // m = 4: 1 / (4 sqrt(q / 16 + 9)) = 1 / sqrt(16 + 144) with q = 16.
  const Case fours = built_case({.x = {4, -4}, .weight = {1, 3}});
  const auto y = value_with_placement(ExactRow(fours, 0), 1, Placement::kScaledByMax, 9);
  ASSERT_TRUE(y);
  EXPECT_TRUE(agree(*y, Wide(-12.0) / sqrt(Wide(160.0))));
}

TEST(Placement, ZeroRow) {
  const Case value = built_case({.x = {0, -0.0}});
  const ExactRow row(value, 0);
  for (const Placement placement : {Placement::kInside, Placement::kOutside, Placement::kClampQ,
                                    Placement::kClampRms, Placement::kOnSum}) {
    const auto y = value_with_placement(row, 0, placement, 1e-6);
    ASSERT_TRUE(y);
    EXPECT_EQ(y->sign(), 0);
  }
  // 0/0: nothing is added before the root, or what is added is multiplied by max|x| = 0.
  for (const Placement placement :
       {Placement::kAfterRsqrt, Placement::kScaledByMax, Placement::kNone}) {
    EXPECT_FALSE(value_with_placement(row, 0, placement, 1e-6));
  }
  for (const Placement placement : kAll) EXPECT_FALSE(value_with_placement(row, 1, placement, 0));
}

TEST(Placement, Identities) {
  RowSource source(41, "placement");
  int rows = 0;
  for (const FloatFormat* const format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (int i = 0; i < 60; ++i) {
      RowNumbers numbers = source.any(*format);
      const Case value = built_case(numbers);
      const ExactRow row(value, 0);
      if (row.all_zero()) continue;
      const std::size_t index = source.dice().below(row.width());
      const auto y = [&](Placement placement, double epsilon) {
        return *value_with_placement(row, index, placement, epsilon);
      };
      // The definition is what the integers decide.
      EXPECT_TRUE(agree(y(Placement::kInside, numbers.epsilon), row.element(index).wide()));
      const double epsilon =
          std::ldexp(source.dice().between(1, 1000), -source.dice().between(0, 40));
      const auto n = static_cast<double>(row.width());
      EXPECT_TRUE(agree(y(Placement::kOnSum, n * epsilon), y(Placement::kInside, epsilon)));
      EXPECT_TRUE(
          agree(y(Placement::kClampRms, epsilon), y(Placement::kClampQ, epsilon * epsilon)));
      for (const Placement placement : kAll) {
        EXPECT_TRUE(agree(y(placement, 0), y(Placement::kNone, 0)));
      }
      ++rows;
    }
  }
  EXPECT_GT(rows, 230);
}

}  // namespace
}  // namespace normcert
