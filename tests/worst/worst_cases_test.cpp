// The hardest rows known (cases/worst, found by tests/search): the fast comparison must say of them
// what the exact one says, for correctly rounded outputs, their neighbours and truncated ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/case_file.hpp"
#include "judge/certified_compare.hpp"
#include "judge/interval_comparer.hpp"
#include "numeric/wide.hpp"
#include "reference/precise_row.hpp"

namespace normcert {
namespace {

std::vector<Case> cases_of(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(NORMCERT_SOURCE_DIR) / "cases" / "worst" / (name + ".json");
  return read_case_file(path).cases;
}

void expect_same(const ErrorMaximum& fast, const ErrorMaximum& exact) {
  ASSERT_EQ(fast.any, exact.any);
  if (!fast.any) return;
  EXPECT_EQ(compare(fast.value, exact.value), 0);
  EXPECT_EQ(fast.witness.row, exact.witness.row);
  EXPECT_EQ(fast.witness.index, exact.witness.index);
}

void expect_same(const Comparison& fast, const Comparison& exact) {
  EXPECT_EQ(fast.correctly_rounded, exact.correctly_rounded);
  EXPECT_EQ(fast.faithful, exact.faithful);
  EXPECT_EQ(fast.zero_sign_differs, exact.zero_sign_differs);
  EXPECT_EQ(fast.below_normal, exact.below_normal);
  EXPECT_EQ(fast.non_finite.reference, exact.non_finite.reference);
  EXPECT_EQ(fast.non_finite.got, exact.non_finite.got);
  EXPECT_EQ(fast.non_finite.disagree, exact.non_finite.disagree);
  EXPECT_EQ(fast.outside_tolerance, exact.outside_tolerance);
  EXPECT_EQ(fast.unattainable, exact.unattainable);
  EXPECT_EQ(fast.beyond_max_ulp, exact.beyond_max_ulp);
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    EXPECT_EQ(fast.code_distance.count(i), exact.code_distance.count(i)) << "class " << i;
  }
  expect_same(fast.absolute, exact.absolute);
  expect_same(fast.relative, exact.relative);
  expect_same(fast.ulp, exact.ulp);
}

struct Tally {
  std::uint64_t elements = 0;
  std::uint64_t undecided = 0;  // correctly rounded outputs that the enclosure leaves
};

void judge(const Case& value, Tally& tally) {
  const Tensor rounded = rounded_reference(value, OutputTensor::kY);
  for (int kind = 0; kind < 4; ++kind) {
    Tensor got = rounded;
    for (std::size_t row = 0; row < got.rows; ++row) {
      for (std::size_t i = 0; i < got.width; ++i) {
        const Code code = rounded.at(row, i);
        if (kind == 1) got.set(row, i, next_up(code));
        if (kind == 2) got.set(row, i, next_down(code));
        if (kind == 3) {
          got.set(row, i, code.magnitude() == 0 ? code : Code{code.bits - 1, code.format});
        }
      }
    }
    const TensorView view = got.view();
    for (const double max_ulp : {0.5, 1.0}) {
      Criteria criteria;
      criteria.max_ulp = max_ulp;
      criteria.tolerance = Tolerance{0, 0x1p-8};
      expect_same(compare_certified(value, OutputTensor::kY, view, criteria, 0, got.rows),
                  compare_exactly(value, OutputTensor::kY, view, criteria, 0, got.rows));
    }
    if (kind != 0) continue;
    const IntervalComparer comparer(view, {});
    for (std::size_t row = 0; row < got.rows; ++row) {
      const auto precise = PreciseRow::of(value, row);
      ASSERT_TRUE(precise.has_value());
      for (std::size_t i = 0; i < got.width; ++i) {
        Comparison into;
        if (!comparer.decide(*precise->enclosure(i), row, i, into)) ++tally.undecided;
        ++tally.elements;
      }
    }
  }
}

Tally judge_all(const std::string& name) {
  Tally tally;
  for (const Case& value : cases_of(name)) {
    SCOPED_TRACE(value.id);
    judge(value, tally);
  }
  return tally;
}

TEST(WorstCases, NextToAMidpoint) {
  const Tally tally = judge_all("near_midpoint");
  EXPECT_EQ(tally.elements, 48U);
  // binary64 midpoints, and those of binary32 that are nearer than the bound of a double-double.
  EXPECT_GE(tally.undecided, 2U);
  EXPECT_LE(tally.undecided, 4U);
}

TEST(WorstCases, LargestErrorsOfPlainBinary64) {
  const Tally tally = judge_all("large_error");
  EXPECT_GE(tally.elements, 6U);
  EXPECT_EQ(tally.undecided, 0U);
}

TEST(WorstCases, TiesAreLeftToTheIntegers) {
  const Tally tally = judge_all("ties");
  EXPECT_EQ(tally.elements, 3 * 32U);
  EXPECT_GE(tally.undecided, 3 * 16U);
}

}  // namespace
}  // namespace normcert
