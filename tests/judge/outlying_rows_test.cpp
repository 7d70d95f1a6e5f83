// Rows that stand out are eliminated too, wherever they are in a file.
#include "judge/outlying_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "judge/hand_case.hpp"
#include "judge/kernel_rows.hpp"
#include "judge/row_choice.hpp"
#include "judge/verify.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

TEST(OutlyingRows, WhatHoldsAMaximumOrIsTheFirstOfItsKind) {
  ResultTotals result;
  EXPECT_TRUE(outlying_rows(result).empty());
  const auto at = [](ErrorMaximum& error, std::size_t row) {
    error.any = true;
    error.witness.row = row;
  };
  at(result.comparison.absolute, 9);
  at(result.comparison.relative, 4);
  at(result.comparison.ulp, 9);
  result.comparison.coherent.offer(0.5, 7);
  result.comparison.incoherent.offer(0.5, 2);
  result.comparison.non_finite.first = KindWitness{.row = 30, .index = 0, .got = {}, .rounded = {}};
  (void)result.conformity.add(0, 1, Tristate::kSame);
  (void)result.conformity.add(0, 11, Tristate::kDiffers);
  EXPECT_EQ(outlying_rows(result), (std::vector<std::size_t>{2, 4, 7, 9, 11, 30}));
}

// 520 rows of 8192 are too many elements: the sample is 128 rows at even distances and 128 of the
// least mean square, which are those of the first magnitude.
constexpr std::size_t kRows = 520;
constexpr std::size_t kWidth = 8192;

// What a kernel gives, but for one row, which another epsilon makes some five per cent less.
VerifyRequest request_with_another_row(const Case& value, std::size_t row) {
  const Recipe kernel = base_recipe(CastPoint::kBeforeWeight);
  const TensorView right = outputs(kernel, value);
  Tensor y(*right.format, right.rows, right.width);
  Case other = value;
  other.x = value.x.rows_from(row, 1);
  other.epsilon.binary64 = 0.11;
  const TensorView wrong = outputs(kernel, other);
  for (std::size_t i = 0; i < right.rows; ++i) {
    for (std::size_t k = 0; k < right.width; ++k) {
      y.set(i, k, i == row ? wrong.at(0, k) : right.at(i, k));
    }
  }
  VerifyRequest request;
  request.cases.push_back(judged(value, std::move(y).share()));
  request.level = Level::kFunction;
  complete(request);
  static const Recipe kKernel = base_recipe(CastPoint::kBeforeWeight);
  request.known_recipes = [] { return std::vector<const Recipe*>{&kKernel}; };
  return request;
}

TEST(OutlyingRows, ARowOutsideTheSampleIsNotAcceptedUnseen) {
  const RandomStream random(5, "outlying rows");
  Tensor x(kFp32, kRows, kWidth);
  for (std::size_t i = 0; i < x.rows * x.width; ++i) {
    const double number = random.normal(i) * (i / kWidth < 200 ? 0.01 : 1);
    x.set(i / kWidth, i % kWidth, convert(code_of(number), kFp32));
  }
  Case value = with_weights(random_case(kFp32, kWidth, 1, 1), kFp32, 0);
  value.id = "norm";
  value.x = std::move(x).share();
  value.epsilon.text = "1e-05";
  value.epsilon.binary64 = 1e-5;
  value.weight_offset_given = true;

  const std::vector<std::size_t> sample = rows_to_eliminate(judged(value), std::size_t{1} << 21, 1);
  std::size_t row = 400;
  while (std::ranges::binary_search(sample, row)) ++row;

  const VerifyRequest request = request_with_another_row(value, row);
  const VerifyTotals totals = measure(request);
  const std::vector<std::size_t> outlying = outlying_rows(totals.at(0).results.at(0));
  EXPECT_TRUE(std::ranges::binary_search(outlying, row));
  const ResultTotals& result = totals.at(0).results.at(0);
  const RowsOfClass found = rows_of_class(request.cases.at(0), result, 2);
  EXPECT_TRUE(found.asked);
  EXPECT_FALSE(found.all_conform);
  EXPECT_EQ(found.others, (std::vector<std::size_t>{row}));
  const FunctionLevel level = judge_function(request, totals);
  EXPECT_GT(level.rows, sample.size());
  EXPECT_LE(level.rows, sample.size() + 7);
  EXPECT_NE(level.cases.at(0).declared, Tristate::kSame);
  // By the number that it has in the file.
  const std::string& text = level.cases.at(0).text;
  EXPECT_NE(text.find("1 of " + std::to_string(level.rows) + " rows"), std::string::npos) << text;
  EXPECT_NE(text.find("first row " + std::to_string(row) + ";"), std::string::npos) << text;
  EXPECT_NE(conclude(request, totals, &level).verdict, VerdictValue::kAccepted);

  // Without that row the same function is found on the same rows.
  VerifyRequest right = request;
  right.cases[0].observed->y = outputs(base_recipe(CastPoint::kBeforeWeight), value);
  const VerifyTotals right_totals = measure(right);
  const RowsOfClass all = rows_of_class(right.cases.at(0), right_totals.at(0).results.at(0), 2);
  EXPECT_TRUE(all.asked);
  EXPECT_TRUE(all.all_conform);
  EXPECT_TRUE(all.others.empty());
  const FunctionLevel right_level = judge_function(right, right_totals);
  EXPECT_EQ(right_level.cases.at(0).declared, Tristate::kSame) << right_level.cases.at(0).text;
  EXPECT_EQ(conclude(right, right_totals, &right_level).verdict, VerdictValue::kAccepted);
}

}  // namespace
}  // namespace normcert
