// validate(): what can be evaluated passes, everything else is refused with its code and place.
#include "problem/case.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "numeric/rounding.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

TensorView rows_of(const std::vector<std::vector<double>>& rows, const FloatFormat& format) {
  Tensor tensor(format, rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t row = 0; row < tensor.rows; ++row) {
    for (std::size_t i = 0; i < tensor.width; ++i) {
      tensor.set(row, i, convert(code_of(rows[row][i]), format));
    }
  }
  return std::move(tensor).share();
}

Case valid_case() {
  Case value;
  value.id = "a";
  value.class_name = "ordinary";
  value.x = rows_of({{1, -2}, {0, 0}}, kBf16);
  value.residual = rows_of({{1, 2}, {0, 0}}, kFp32);
  value.weight = rows_of({{1, 0.5}}, kFp8E4m3fn);
  value.epsilon = read_epsilon("1e-6", "", "");
  return value;
}

// The code and the message of what validate throws.
std::string refusal(const Case& value, const std::string& place = "cases[3], line 12") {
  try {
    validate(value, "f.json", place);
  } catch (const InputError& error) {
    return error.parts().code + " | " + error.what();
  }
  return "accepted";
}

TEST(CaseValidate, AcceptsWhatCanBeEvaluated) {
  EXPECT_EQ(refusal(valid_case()), "accepted");
  Case value = valid_case();
  value.residual.reset();
  value.weight.reset();
  EXPECT_EQ(refusal(value), "accepted");
}

TEST(CaseValidate, Empty) {
  Case value = valid_case();
  value.x = rows_of({}, kBf16);
  EXPECT_EQ(refusal(value),
            "empty | f.json: cases[3].x, line 12: found no rows, expected at least one row");
  value.x = rows_of({{}}, kBf16);
  EXPECT_EQ(refusal(value),
            "empty | f.json: cases[3].x, line 12: found rows without elements, expected at least "
            "one element");
}

TEST(CaseValidate, Shapes) {
  Case value = valid_case();
  value.residual = rows_of({{1, 2}}, kBf16);
  EXPECT_EQ(refusal(value),
            "shape_mismatch | f.json: cases[3].residual, line 12: found 1 x 2, expected the shape "
            "of x, 2 x 2");
  value = valid_case();
  value.weight = rows_of({{1, 2, 3}}, kBf16);
  EXPECT_EQ(refusal(value),
            "shape_mismatch | f.json: cases[3].weight, line 12: found 1 x 3, expected one row of 2 "
            "elements, as x has");
  value.weight = rows_of({{1, 2}, {1, 2}}, kBf16);
  EXPECT_EQ(refusal(value).substr(0, 14), "shape_mismatch");
  value = valid_case();
  value.written = WrittenOutput{.y = rows_of({{1}, {2}}, kBf16)};
  EXPECT_EQ(refusal(value),
            "shape_mismatch | f.json: cases[3].y, line 12: found 2 x 1, expected the shape of x, 2 "
            "x 2");
}

TEST(CaseValidate, Gates) {
  Case value = valid_case();
  value.gate = Gate{rows_of({{1, -300}, {0, 0}}, kFp32), GateMode::kBefore, Activation::kSilu};
  EXPECT_EQ(refusal(value), "accepted");
  value.gate->values = rows_of({{1, 2}}, kFp32);
  EXPECT_NE(refusal(value).find("shape_mismatch"), std::string::npos);
  EXPECT_NE(refusal(value).find("cases[3].gate"), std::string::npos);
  value.gate->values = rows_of({{1, 2}, {3, std::numeric_limits<double>::infinity()}}, kFp32);
  EXPECT_NE(refusal(value).find("non_finite_input"), std::string::npos);
  EXPECT_NE(refusal(value).find("cases[3].gate[1][1]"), std::string::npos);
}

// What a gate before the norm makes a row of zeros of.
TEST(CaseValidate, ZeroEpsilonNeedsRowsThatGatesLeave) {
  Case value = valid_case();
  value.residual.reset();
  value.epsilon = {"0", 0};
  const auto with = [&](const std::vector<double>& gate, GateMode mode, Activation activation) {
    value.x = rows_of({{1, 0, 2}}, kBf16);
    value.weight.reset();
    value.gate = Gate{rows_of({gate}, kFp32), mode, activation};
    return refusal(value) == "accepted";
  };
  EXPECT_TRUE(with({1, 1, 0}, GateMode::kBefore, Activation::kSilu));
  EXPECT_FALSE(with({0, 1, 0}, GateMode::kBefore, Activation::kSilu));
  EXPECT_FALSE(with({-1e9, 1, 0}, GateMode::kBefore, Activation::kSilu));
  EXPECT_TRUE(with({-65504, 1, 0}, GateMode::kBefore, Activation::kSilu));
  EXPECT_TRUE(with({0, 1, 0}, GateMode::kBefore, Activation::kSigmoid));
  EXPECT_FALSE(with({-1e9, 1, -1e6}, GateMode::kBefore, Activation::kSigmoid));
  EXPECT_TRUE(with({0, 1, 0}, GateMode::kAfter, Activation::kSilu));
}

TEST(CaseRowsAlike, GatesCount) {
  Case value = valid_case();
  value.residual.reset();
  value.x = rows_of({{1, -2}, {1, -2}, {-1, -2}}, kBf16);
  EXPECT_TRUE(same_inputs(value, 0, 1));
  EXPECT_TRUE(same_squares(value, 0, 2));
  value.gate = Gate{rows_of({{1, 1}, {1, 2}, {1, 1}}, kFp32), GateMode::kBefore, Activation::kSilu};
  EXPECT_FALSE(same_inputs(value, 0, 1));
  EXPECT_FALSE(same_squares(value, 0, 1));
  EXPECT_TRUE(same_squares(value, 0, 2));
  value.gate->mode = GateMode::kAfter;
  EXPECT_FALSE(same_inputs(value, 0, 1));
  EXPECT_TRUE(same_squares(value, 0, 1));
  value.residual = rows_of({{0, 0}, {0, 0}, {0, 0}}, kBf16);
  EXPECT_TRUE(same_squares(value, 0, 1));
  value.gate->mode = GateMode::kBefore;
  EXPECT_FALSE(same_squares(value, 0, 1));
}

TEST(CaseValidate, BytesMustBeThoseOfTheShape) {
  Case value = valid_case();
  value.x.bytes = value.x.bytes.first(7);
  EXPECT_EQ(refusal(value),
            "shape_mismatch | f.json: cases[3].x, line 12: found 7 bytes, expected the bytes of 2 "
            "x 2 elements of bf16");
  // Shapes whose product wraps around to the number of bytes that are there.
  value = valid_case();
  value.x.rows = std::numeric_limits<std::size_t>::max() / 4 + 3;
  EXPECT_EQ(value.x.rows * value.x.width * 2, value.x.bytes.size());
  EXPECT_EQ(refusal(value).substr(0, 14), "shape_mismatch");
  value = valid_case();
  value.x.width = std::numeric_limits<std::size_t>::max() / 2 + 3;
  EXPECT_EQ(refusal(value).substr(0, 14), "shape_mismatch");
}

TEST(CaseValidate, NonFiniteInputs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Case value = valid_case();
  value.x = rows_of({{1, 2}, {3, -kInfinity}}, kFp16);
  EXPECT_EQ(refusal(value),
            "non_finite_input | f.json: cases[3].x[1][1], line 12: found -inf, expected a finite "
            "number");
  value = valid_case();
  value.residual = rows_of({{1, kNan}, {3, 4}}, kFp16);
  EXPECT_EQ(refusal(value),
            "non_finite_input | f.json: cases[3].residual[0][1], line 12: found nan, expected a "
            "finite number");
  value = valid_case();
  value.weight = rows_of({{kInfinity, 1}}, kFp32);
  EXPECT_EQ(refusal(value, ""),
            "non_finite_input | f.json: weight[0][0]: found inf, expected a finite number");
  value = valid_case();
  value.weight_offset = {"inf", kInfinity};
  EXPECT_EQ(refusal(value),
            " | f.json: cases[3].weight_offset, line 12: found inf, expected a finite number");
}

TEST(CaseValidate, Epsilon) {
  Case value = valid_case();
  value.epsilon = {};
  EXPECT_EQ(refusal(value),
            "missing_epsilon | f.json: cases[3], line 12: found a case without epsilon, expected "
            "an epsilon such as 1e-6");
  value.epsilon = {"-1", -1};
  EXPECT_EQ(refusal(value),
            "epsilon_not_positive | f.json: cases[3].epsilon, line 12: found -1, expected an "
            "epsilon above 0");
  value.epsilon = {"-0", -0.0};
  EXPECT_EQ(refusal(value).substr(0, 20), "epsilon_not_positive");
  value.epsilon = {"inf", std::numeric_limits<double>::infinity()};
  EXPECT_EQ(refusal(value).substr(0, 18), "epsilon_not_finite");
  value.epsilon = {"nan", std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(refusal(value).substr(0, 18), "epsilon_not_finite");
}

TEST(CaseValidate, ZeroEpsilonNeedsRowsThatAreNotZero) {
  Case value = valid_case();
  value.epsilon = {"0", 0};
  value.residual.reset();
  EXPECT_EQ(refusal(value),
            "epsilon_not_positive | f.json: cases[3].epsilon, line 12: found 0 and a row that is "
            "all zero (row 1), expected an epsilon above 0: 0/0 is undefined");
  value.x = rows_of({{1, -2}, {0, 4}}, kBf16);
  EXPECT_EQ(refusal(value), "accepted");
  // What counts is x + residual.
  value.residual = rows_of({{-1, 2}, {0, 4}}, kFp32);
  EXPECT_EQ(refusal(value).substr(0, 20), "epsilon_not_positive");
  value.residual = rows_of({{-1, 2.0000001}, {0, 4}}, kFp64);
  EXPECT_EQ(refusal(value), "accepted");
  value.x = rows_of({{0, 0}}, kBf16);
  value.residual = rows_of({{0, 1e-300}}, kFp64);
  EXPECT_EQ(refusal(value), "accepted");
}

TEST(CaseWords, ClassesAndCodesAreDistinct) {
  const std::set<std::string_view> classes(case_classes().begin(), case_classes().end());
  EXPECT_EQ(classes.size(), case_classes().size());
  EXPECT_EQ(standard_classes().size(), kStandardClassCount);
  EXPECT_EQ(standard_classes().front(), "zero");
  EXPECT_EQ(standard_classes().back(), "amplitude");
  const std::set<std::string_view> codes(refusal_codes().begin(), refusal_codes().end());
  EXPECT_EQ(codes.size(), 9U);
}

TEST(CaseExpectation, IsEmptyUntilSomethingIsExpected) {
  EXPECT_TRUE(Expectation{}.empty());
  const ExpectedNumber number{"1", false, ""};
  Expectation expect;
  expect.y = {{number}};
  EXPECT_FALSE(expect.empty());
  expect = {};
  expect.attenuation = {number};
  EXPECT_FALSE(expect.empty());
  expect = {};
  expect.output_rms = {number};
  EXPECT_FALSE(expect.empty());
  expect = {};
  expect.square = {{number}};
  EXPECT_FALSE(expect.empty());
  expect = {};
  expect.y_with_placement["none"] = {{number}};
  EXPECT_FALSE(expect.empty());
  expect = {};
  expect.error = "empty";
  EXPECT_FALSE(expect.empty());
  expect = {};
  expect.candidates["a"] = "accepted";
  EXPECT_FALSE(expect.empty());
}

}  // namespace
}  // namespace normcert
