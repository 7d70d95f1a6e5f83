#include "judge/comparison.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "judge/hand_case.hpp"

namespace normcert {
namespace {

using Histogram = CodeDistanceHistogram;

TEST(CodeDistanceHistogram, LabelsAtTheBorders) {
  const std::vector<std::pair<std::uint64_t, std::string>> borders = {
      {0, "0"},
      {1, "1"},
      {7, "7"},
      {8, "8"},
      {9, "9-16"},
      {16, "9-16"},
      {17, "17-32"},
      {32, "17-32"},
      {33, "33-64"},
      {65536, "32769-65536"},
      {65537, "65537-131072"},
      {std::uint64_t{1} << 63, "4611686018427387905-9223372036854775808"},
      {(std::uint64_t{1} << 63) + 1, "9223372036854775809-18446744073709551615"},
      {std::numeric_limits<std::uint64_t>::max(), "9223372036854775809-18446744073709551615"}};
  for (const auto& [distance, label] : borders) {
    ASSERT_LT(Histogram::class_of(distance), Histogram::kClasses) << distance;
    EXPECT_EQ(Histogram::label(Histogram::class_of(distance)), label) << distance;
  }
}

TEST(CodeDistanceHistogram, CountsAndMerges) {
  Histogram a;
  for (const std::uint64_t distance : {0U, 0U, 8U, 9U, 16U}) a.add(distance);
  Histogram b;
  for (const std::uint64_t distance : {0U, 17U}) b.add(distance);
  a.merge(b);
  EXPECT_EQ(a.count(0), 3U);
  EXPECT_EQ(a.count(8), 1U);
  EXPECT_EQ(a.count(9), 2U);
  EXPECT_EQ(a.count(10), 1U);
  EXPECT_EQ(b.count(0), 1U);
}

ErrorMaximum at(double value, std::size_t row, std::size_t index) {
  ErrorMaximum maximum;
  maximum.any = true;
  maximum.value = Wide(value);
  maximum.witness.row = row;
  maximum.witness.index = index;
  return maximum;
}

TEST(ErrorMaximum, TheGreaterOneStaysAndTheEarlierAmongEquals) {
  ErrorMaximum maximum = at(2, 0, 3);
  maximum.merge(at(1, 1, 0));
  EXPECT_EQ(maximum.witness.row, 0U);
  maximum.merge(at(2, 2, 0));
  EXPECT_EQ(maximum.witness.row, 0U);
  EXPECT_EQ(maximum.witness.index, 3U);
  maximum.merge(at(3, 4, 1));
  EXPECT_EQ(maximum.witness.row, 4U);
  maximum.merge({});
  EXPECT_EQ(maximum.witness.row, 4U);
  ErrorMaximum nothing;
  nothing.merge({});
  EXPECT_FALSE(nothing.any);
  nothing.merge(at(0, 5, 5));
  EXPECT_TRUE(nothing.any);
  EXPECT_EQ(nothing.witness.row, 5U);
}

// Every field as text, witnesses included.
std::string shown(const ErrorMaximum& m) {
  if (!m.any) return "none";
  return m.value.scientific(40) + "@" + std::to_string(m.witness.row) + "," +
         std::to_string(m.witness.index);
}

std::string shown(const Comparison& c) {
  std::string text;
  for (const std::uint64_t count :
       {c.expected, c.compared, c.rows_set_apart, c.non_finite.reference, c.non_finite.got,
        c.non_finite.disagree, c.below_normal, c.correctly_rounded, c.faithful, c.zero_sign_differs,
        c.outside_tolerance, c.unattainable, c.beyond_max_ulp}) {
    text += std::to_string(count) + " ";
  }
  for (std::size_t i = 0; i < Histogram::kClasses; ++i) {
    if (c.code_distance.count(i) > 0) {
      text += Histogram::label(i) + ":" + std::to_string(c.code_distance.count(i)) + " ";
    }
  }
  text += shown(c.absolute) + " " + shown(c.relative) + " " + shown(c.ulp);
  if (c.first_outside) {
    text += " outside " + std::to_string(c.first_outside->row) + "," +
            std::to_string(c.first_outside->index);
  }
  return text;
}

// Rows with every kind of finding: exact, off, NaN, equal errors, a row set apart.
class Parts : public ::testing::Test {
 protected:
  Parts() {
    HandCase hand = eighths(kFp16, 6);
    hand.x[3] = {"nan", "1"};
    case_ = case_of(hand);
    criteria_ = within(1e-3, 0);
    criteria_.max_ulp = 1;
    got_ = tensor_of({{"0.125", "0.875"},
                      {"0.126", "0.875"},
                      {"-inf", "nan"},
                      {"1", "2"},
                      {"0.126", "0.9"},
                      {"0.125", "0.9"}},
                     kFp16);
  }

  Comparison rows(std::size_t first, std::size_t count) const {
    return compare_exactly(case_, OutputTensor::kY, got_, criteria_, first, count);
  }

  Case case_;
  TensorView got_;
  Criteria criteria_;
};

TEST_F(Parts, TheWholeIsTheMergeOfAnyDivision) {
  const std::string whole = shown(rows(0, 6));
  EXPECT_NE(whole.find("outside 2,0"), std::string::npos) << whole;
  for (std::size_t cut = 0; cut <= 6; ++cut) {
    Comparison merged = rows(0, cut);
    merged.merge(rows(cut, 6 - cut));
    EXPECT_EQ(shown(merged), whole) << cut;
  }
  Comparison one_by_one;
  for (std::size_t row = 0; row < 6; ++row) one_by_one.merge(rows(row, 1));
  EXPECT_EQ(shown(one_by_one), whole);
}

TEST_F(Parts, MergeIsAssociativeAndHasAnIdentity) {
  for (std::size_t a = 0; a <= 6; ++a) {
    for (std::size_t b = a; b <= 6; ++b) {
      Comparison left = rows(0, a);
      left.merge(rows(a, b - a));
      left.merge(rows(b, 6 - b));
      Comparison tail = rows(a, b - a);
      tail.merge(rows(b, 6 - b));
      Comparison right = rows(0, a);
      right.merge(tail);
      EXPECT_EQ(shown(left), shown(right)) << a << " " << b;
    }
  }
  Comparison before;
  before.merge(rows(0, 6));
  Comparison after = rows(0, 6);
  after.merge({});
  EXPECT_EQ(shown(before), shown(after));
}

TEST_F(Parts, AWitnessIsTheLowestRowAndIndexAmongEquals) {
  // 0.9 stands in rows 4 and 5: the same error, the earlier one is shown.
  const Comparison whole = rows(0, 6);
  EXPECT_EQ(whole.absolute.witness.row, 4U);
  EXPECT_EQ(whole.absolute.witness.index, 1U);
  // Equal elements of one row.
  const Comparison equal =
      compared({.x = {{"1", "1", "7", "7"}}, .epsilon = "39"}, {{"0.125", "0.125", "0.5", "0.5"}});
  EXPECT_EQ(equal.absolute.witness.index, 2U);
  EXPECT_EQ(equal.ulp.witness.index, 2U);
}

}  // namespace
}  // namespace normcert
