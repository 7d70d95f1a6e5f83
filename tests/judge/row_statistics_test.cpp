// Least, median and greatest against the exact evaluation of every row.
#include "judge/row_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "judge/case_summary.hpp"
#include "judge/hand_case.hpp"
#include "judge/made_rows.hpp"
#include "reference/exact_row.hpp"

namespace normcert {
namespace {

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[(values.size() - 1) / 2], values.back()};
}

struct Spreads {
  Spread q;
  Spread ratio;
  Spread attenuation;
};

Spreads row_by_row(const Case& value) {
  std::vector<double> q;
  std::vector<double> ratio;
  std::vector<double> attenuation;
  const Wide epsilon(value.epsilon.binary64);
  for (std::size_t row = 0; row < value.x.rows; ++row) {
    const ExactRow exact(value, row);
    q.push_back(exact.mean_square().to_binary64());
    ratio.push_back((exact.mean_square() / epsilon).to_binary64());
    attenuation.push_back(exact.attenuation().wide().to_binary64());
  }
  return {spread_of(q), spread_of(ratio), spread_of(attenuation)};
}

void expect_same(const Spread& found, const Spread& expected) {
  EXPECT_EQ(found.min, expected.min);
  EXPECT_EQ(found.median, expected.median);
  EXPECT_EQ(found.max, expected.max);
  EXPECT_FALSE(found.median_within);
}

TEST(RowStatistics, UpTo4096RowsTheExactFigures) {
  int cases = 0;
  for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16, &kFp16}) {
    for (const std::size_t rows : {1U, 2U, 3U, 10U, 257U}) {
      for (const std::size_t width : {1U, 2U, 33U}) {
        Case value = made_case(rows, width, *format, rows + width);
        if (cases % 2 == 1) value.residual = made_case(rows, width, *format, 99).x;
        const Spreads expected = row_by_row(value);
        const CaseSummary summary = summarise(judged(value));
        SCOPED_TRACE(value.id + std::string(format->name));
        expect_same(*summary.q, expected.q);
        expect_same(*summary.q_over_epsilon, expected.ratio);
        expect_same(*summary.attenuation, expected.attenuation);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 60);
}

// Rows of the same sum, in another order of elements, and zeros: bounds cannot tell them apart.
TEST(RowStatistics, RowsThatBoundsCannotTellApart) {
  Rows rows;
  for (const char* text : {"0x1.fffffep-1", "0x1.fffffcp-1", "0x1.fffffep-1", "0"}) {
    rows.push_back({text, "1", "0"});
    rows.push_back({"-0", text, "-1"});
  }
  const Case value = case_of({.x = rows, .epsilon = "0.5"});
  const Spreads expected = row_by_row(value);
  expect_same(*summarise(judged(value)).q, expected.q);
  expect_same(*summarise(judged(value)).attenuation, expected.attenuation);
}

TEST(RowStatistics, BinarySixtyFourBeyondItsSquares) {
  const Case value = case_of(
      {.x = {{"1e200"}, {"1e-200"}, {"3"}, {"1e-160"}}, .epsilon = "1e-6", .format = &kFp64});
  expect_same(*summarise(judged(value)).q, row_by_row(value).q);
}

TEST(RowStatistics, BeyondThatTheMedianIsNearAndTheEndsAreExact) {
  for (const std::size_t rows : {4096U, 4097U, 9000U}) {
    const Case value = made_case(rows, 3, kBf16);
    const Spreads expected = row_by_row(value);
    const CaseSummary summary = summarise(judged(value));
    EXPECT_EQ(summary.q->min, expected.q.min);
    EXPECT_EQ(summary.q->max, expected.q.max);
    EXPECT_EQ(summary.attenuation->min, expected.attenuation.min);
    EXPECT_EQ(summary.q_over_epsilon->max, expected.ratio.max);
    if (rows == 4096) {
      expect_same(*summary.q, expected.q);
      continue;
    }
    ASSERT_TRUE(summary.q->median_within);
    EXPECT_EQ(*summary.q->median_within, 0x1p-10);
    EXPECT_NEAR(summary.q->median / expected.q.median, 1, 0x1p-10);
    EXPECT_NEAR(summary.q_over_epsilon->median / expected.ratio.median, 1, 0x1p-10);
    EXPECT_NEAR(summary.attenuation->median / expected.attenuation.median, 1, 0x1p-10);
  }
}

TEST(RowStatistics, OfEqualRowsTheMedianIsTheirNumber) {
  const Case value = case_of({.x = Rows(5000, {"1", "7"}), .epsilon = "39"});
  const CaseSummary summary = summarise(judged(value));
  EXPECT_EQ(summary.q->median, 25);
  EXPECT_EQ(summary.attenuation->median, 0.625);
}

// The classes of the histogram do not depend on how the rows were divided.
TEST(RowStatistics, PartsMergeInAnyOrder) {
  const JudgedCase whole = judged(made_case(9000, 3, kFp16));
  const auto part = [&](std::size_t first, std::size_t count) {
    RowStatisticsBuilder builder(whole);
    builder.add(first, scan_rows(rows_of(whole, first, count).value, true));
    return builder.finish();
  };
  RowStatistics merged = part(8192, 808);
  merged.merge(part(0, 4096));
  merged.merge(part(4096, 4096));
  CaseSummary from_parts;
  describe_rows(merged, 1e-3, from_parts);
  const CaseSummary summary = summarise(whole);
  EXPECT_EQ(from_parts.q->min, summary.q->min);
  EXPECT_EQ(from_parts.q->median, summary.q->median);
  EXPECT_EQ(from_parts.q->max, summary.q->max);
  EXPECT_EQ(merged.rows_finite, 9000U);
}

}  // namespace
}  // namespace normcert
