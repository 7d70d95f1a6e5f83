#include "judge/row_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "judge/hand_case.hpp"
#include "judge/made_rows.hpp"
#include "reference/exact_row.hpp"

namespace normcert {
namespace {

using Numbers = std::vector<std::size_t>;

Numbers chosen(const Case& value, std::size_t rows, RowOrder order, unsigned threads = 1) {
  JudgedCase of = judged(value);
  choose_rows(of, {rows, order}, threads);
  return of.chosen_rows.value_or(Numbers{});
}

TEST(RowChoice, FirstAndSpread) {
  const Case value = made_case(10, 2, kFp32);
  EXPECT_EQ(chosen(value, 3, RowOrder::kFirst), (Numbers{0, 1, 2}));
  EXPECT_EQ(chosen(value, 1, RowOrder::kSpread), (Numbers{0}));
  EXPECT_EQ(chosen(value, 2, RowOrder::kSpread), (Numbers{0, 9}));
  EXPECT_EQ(chosen(value, 4, RowOrder::kSpread), (Numbers{0, 3, 6, 9}));
  EXPECT_EQ(chosen(value, 9, RowOrder::kSpread), (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 9}));
}

TEST(RowChoice, AsManyAsThereAreIsAll) {
  JudgedCase of = judged(made_case(10, 2, kFp32));
  for (const RowOrder order : {RowOrder::kFirst, RowOrder::kSpread, RowOrder::kLowQ}) {
    for (const std::size_t rows : {10U, 11U}) {
      choose_rows(of, {rows, order}, 1);
      EXPECT_FALSE(of.chosen_rows);
      EXPECT_EQ(of.choice, "all");
    }
  }
  choose_rows(of, {3, RowOrder::kAll}, 1);
  EXPECT_FALSE(of.chosen_rows);
  choose_rows(of, {3, RowOrder::kLowQ}, 1);
  EXPECT_EQ(of.choice, "low-q");
}

TEST(RowChoice, OfEqualMeanSquaresTheLowerRows) {
  // The sums are 50, 2, 50, 50, 1, 50; those of 50 are told apart by nothing but their place.
  const Case value =
      case_of({.x = {{"7", "1"}, {"1", "1"}, {"1", "-7"}, {"5", "5"}, {"0", "1"}, {"5", "-5"}},
               .epsilon = "1"});
  EXPECT_EQ(chosen(value, 1, RowOrder::kLowQ), (Numbers{4}));
  EXPECT_EQ(chosen(value, 2, RowOrder::kLowQ), (Numbers{1, 4}));
  EXPECT_EQ(chosen(value, 3, RowOrder::kLowQ), (Numbers{0, 1, 4}));
  EXPECT_EQ(chosen(value, 4, RowOrder::kLowQ), (Numbers{0, 1, 2, 4}));
}

TEST(RowChoice, RowsWithoutMeanSquareComeLast) {
  const Case value = case_of({.x = {{"nan"}, {"3"}, {"inf"}, {"2"}}, .epsilon = "1"});
  EXPECT_EQ(chosen(value, 1, RowOrder::kLowQ), (Numbers{3}));
  EXPECT_EQ(chosen(value, 3, RowOrder::kLowQ), (Numbers{0, 1, 3}));
}

// Sums that differ in their last bits alone are ordered exactly; against a sort of exact sums.
TEST(RowChoice, DecidedExactly) {
  int cases = 0;
  for (const FloatFormat* format : {&kFp64, &kFp32, &kBf16}) {
    for (const std::size_t width : {1U, 2U, 17U}) {
      Case value = made_case(300, width, *format, 7);
      if (width == 2) value.residual = made_case(300, width, *format, 8).x;
      std::vector<ExactRow> exact;
      for (std::size_t row = 0; row < 300; ++row) exact.emplace_back(value, row);
      Numbers order(300);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return exact[a].compare_mean_square(exact[b]) < 0;
      });
      for (const std::size_t rows : {1U, 2U, 50U, 299U}) {
        Numbers expected(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rows));
        std::ranges::sort(expected);
        EXPECT_EQ(chosen(value, rows, RowOrder::kLowQ, 1 + static_cast<unsigned>(cases) % 3),
                  expected);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 36);
}

}  // namespace
}  // namespace normcert
