// What is asked of the rows of a gated case: which ones are chosen, what describes them, that a
// block carries its gates along.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "judge/case_rows.hpp"
#include "judge/case_summary.hpp"
#include "judge/certified_compare.hpp"
#include "judge/hand_case.hpp"
#include "judge/made_rows.hpp"
#include "judge/row_choice.hpp"
#include "judge/usual_tests.hpp"
#include "reference/exact_row.hpp"

namespace normcert {
namespace {

Case gated_case(std::size_t rows, std::size_t width, const FloatFormat& format, GateMode mode,
                Activation activation) {
  Case value = made_case(rows, width, format, 7);
  value.gate = Gate{made_case(rows, width, format, 8).x, mode, activation};
  return value;
}

template <typename Visit>
void for_each_kind(Visit visit) {
  for (const GateMode mode : {GateMode::kBefore, GateMode::kAfter}) {
    for (const Activation activation : {Activation::kSilu, Activation::kSigmoid}) {
      for (const FloatFormat* format : {&kFp64, &kBf16}) {
        for (const std::size_t width : {1U, 17U}) {
          SCOPED_TRACE(std::string(format->name) + ' ' + std::to_string(width));
          visit(gated_case(200, width, *format, mode, activation));
        }
      }
    }
  }
}

TEST(GatedRows, LowQIsThatOfWhatIsNormalised) {
  for_each_kind([](const Case& value) {
    std::vector<ExactRow> exact;
    for (std::size_t row = 0; row < value.x.rows; ++row) exact.emplace_back(value, row);
    std::vector<std::size_t> order(value.x.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return exact[a].compare_mean_square(exact[b]) < 0;
    });
    order.resize(20);
    std::ranges::sort(order);
    JudgedCase of = judged(value);
    choose_rows(of, {20, RowOrder::kLowQ}, 1);
    EXPECT_EQ(of.chosen_rows, order);
  });
}

TEST(GatedRows, AreDescribedAsRowByRow) {
  for_each_kind([](const Case& value) {
    std::vector<double> q;
    std::vector<double> attenuation;
    for (std::size_t row = 0; row < value.x.rows; ++row) {
      q.push_back(ExactRow(value, row).mean_square().to_binary64());
      attenuation.push_back(ExactRow(value, row).attenuation().wide().to_binary64());
    }
    std::ranges::sort(q);
    std::ranges::sort(attenuation);
    const CaseSummary summary = summarise(judged(value));
    EXPECT_EQ(summary.q->min, q.front());
    EXPECT_EQ(summary.q->median, q[(q.size() - 1) / 2]);
    EXPECT_EQ(summary.q->max, q.back());
    EXPECT_EQ(summary.attenuation->median, attenuation[(q.size() - 1) / 2]);
  });
}

TEST(GatedRows, BlocksAndChosenRowsHaveTheirGates) {
  JudgedCase of = judged(gated_case(50, 4, kBf16, GateMode::kBefore, Activation::kSigmoid));
  const TensorView& gate = of.value.gate->values;
  const auto expect_rows = [&](const CaseRows& rows) {
    ASSERT_TRUE(rows.value.gate.has_value());
    EXPECT_EQ(rows.value.gate->mode, GateMode::kBefore);
    EXPECT_EQ(rows.value.gate->activation, Activation::kSigmoid);
    ASSERT_EQ(rows.value.gate->values.rows, rows.value.x.rows);
    for (std::size_t row = 0; row < rows.value.x.rows; ++row) {
      EXPECT_TRUE(std::ranges::equal(rows.value.gate->values.row_bytes(row),
                                     gate.row_bytes(rows.row_in_file(row))));
    }
  };
  expect_rows(rows_of(of, 10, 20));
  const CaseRows after = rows_after_another(of, 10, 20);
  expect_rows(after);
  expect_rows(*after.before);
  of.chosen_rows = {3, 4, 9, 40};
  expect_rows(rows_of(of, 1, 3));
}

// Equal rows but for a gate are not equal: the second has other results and other errors.
TEST(GatedRows, ARowWithAnotherGateRepeatsNothing) {
  Case value = case_of({.x = {{"1", "2", "3"}, {"1", "2", "3"}}, .epsilon = "1"});
  Tensor gate(kFp32, 2, 3);
  for (std::size_t i = 0; i < 6; ++i) gate.set(i / 3, i % 3, code_of(i == 4 ? 3.0F : 1.0F));
  value.gate = Gate{std::move(gate).share(), GateMode::kAfter, Activation::kSilu};
  const Tensor rounded = rounded_reference(value, OutputTensor::kY);
  Tensor got = rounded;
  for (std::size_t i = 0; i < 3; ++i) got.set(1, i, got.at(0, i));
  const TensorView view = got.view();
  EXPECT_FALSE(RowImage::of(value, view, 1).repeats(RowImage::of(value, view, 0)));
  const Comparison found = compare_certified(value, OutputTensor::kY, view, {}, 0, 2);
  EXPECT_EQ(found.correctly_rounded, 5U);
  EXPECT_EQ(found.ulp.witness.row, 1U);
  EXPECT_EQ(found.ulp.witness.index, 1U);
  EXPECT_EQ(found.ulp.witness.gate, std::optional(code_of(3.0F)));
}

TEST(GatedRows, RowsWithAGateThatIsNotFiniteAreSetApart) {
  for (const char* text : {"nan", "inf", "-inf"}) {
    for (const GateMode mode : {GateMode::kBefore, GateMode::kAfter}) {
      Case value = case_of({.x = {{"1", "2"}, {"1", "2"}}, .epsilon = "1"});
      value.gate = Gate{case_of({.x = {{"1", text}, {"1", "2"}}, .epsilon = "1"}).x, mode,
                        Activation::kSilu};
      const Tensor got = rounded_reference(value, OutputTensor::kY);
      EXPECT_TRUE(is_nan(got.at(0, 0)));
      for (const Comparison& found :
           {compare_exactly(value, OutputTensor::kY, got.view(), {}, 0, 2),
            compare_certified(value, OutputTensor::kY, got.view(), {}, 0, 2)}) {
        EXPECT_EQ(found.rows_set_apart, 1U);
        EXPECT_EQ(found.compared, 2U);
        EXPECT_EQ(found.correctly_rounded, 2U);
      }
    }
  }
}

TEST(GatedRows, TheUsualTestsApplyTheGate) {
  for_each_kind([](Case value) {
    value.output = &kFp32;
    const Tensor y = rounded_reference(value, OutputTensor::kY);
    const UsualTests tests =
        usual_tests(value, value.weight_offset.binary64, y.view(), "", value.epsilon.binary64);
    EXPECT_EQ(tests.beyond, 0U);
    EXPECT_LT(tests.nmse(), 1e-13);
    Case plain = value;
    plain.gate.reset();
    EXPECT_GT(usual_tests(plain, value.weight_offset.binary64, y.view(), "", value.epsilon.binary64)
                  .beyond,
              value.x.rows / 4);
  });
}

}  // namespace
}  // namespace normcert
