// Rows that elimination is not asked about: what no function gives there is named, and what a
// kernel does give (NaN of NaN, zeros of zeros, overflows) is not.
#include "inference/special_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kRows = 8;
constexpr std::size_t kWidth = 64;
constexpr std::size_t kChanged = 5;  // the row that a test changes
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Six small rows and two ordinary ones, a weight, and what a kernel gives for them; tests change
// inputs before the outputs are formed, or outputs.
struct Port {
  Case value;
  Tensor x;
  Tensor y;

  explicit Port(const FloatFormat& format) : x(format, kRows, kWidth) {
    const RandomStream random(3, "special rows");
    Tensor weight(format, 1, kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) {
      weight.set(0, i, convert(code_of(1 + random.normal(i) / 8), format));
      for (std::size_t row = 0; row < kRows; ++row) {
        set_x(row, i, random.normal((row + 1) * kWidth + i) * (row < 6 ? 0.01 : 1));
      }
    }
    value.weight = std::move(weight).share();
    value.weight_offset = {"0", 0};
    value.weight_offset_given = true;
    value.epsilon = {"1e-5", 1e-5};
  }
  void set_x(std::size_t row, std::size_t i, double number) {
    x.set(row, i, convert(code_of(number), *x.format));
  }
  void set_y(std::size_t row, std::size_t i, double number) {
    y.set(row, i, convert(code_of(number), *y.format));
  }
  Port& run(const Recipe& recipe = {}) {
    value.x = x.view();
    y = emulate_block(recipe, {.x = value.x,
                               .residual = {},
                               .weight = value.weight,
                               .weight_offset = 0,
                               .epsilon = 1e-5})
            .y;
    return *this;
  }
  Port& with_row(double number) {
    for (std::size_t i = 0; i < kWidth; ++i) set_y(kChanged, i, number);
    return *this;
  }
};

SpecialRows found(const Port& port) {
  const ObservedNorm norm{.site = "norm", .value = &port.value, .y = port.y.view()};
  const Elimination result = eliminate({&norm, 1}, {}).joint;
  EXPECT_EQ(result.outcome, EliminationOutcome::kExplained);
  EXPECT_EQ(result.declared, DeclaredOutcome::kFits);
  return special_rows(norm, result.hypotheses.front(), result.rows);
}

// The only fault, in the changed row alone; kNumber: none at all.
RowFault fault(const Port& port) {
  const SpecialRows rows = found(port);
  RowFault only = RowFault::kNumber;
  for (std::size_t i = 0; i < rows.faults.size(); ++i) {
    if (rows.faults.at(i).rows == 0) continue;
    EXPECT_EQ(rows.faults.at(i).rows, 1U);
    EXPECT_EQ(rows.faults.at(i).first, kChanged);
    EXPECT_EQ(only, RowFault::kNumber);
    only = static_cast<RowFault>(i);
  }
  EXPECT_EQ(rows.any_fault(), only != RowFault::kNumber);
  EXPECT_EQ(rows.fault_words().size(), rows.any_fault() ? 1U : 0U);
  return only;
}

class SpecialRowsOf : public testing::TestWithParam<const FloatFormat*> {};

TEST_P(SpecialRowsOf, OrdinaryInputsGiveNumbers) {
  const FloatFormat& format = *GetParam();
  EXPECT_EQ(fault(Port(format).run()), RowFault::kNumber);
  EXPECT_EQ(fault(Port(format).run().with_row(0)), RowFault::kZeros);
  EXPECT_EQ(fault(Port(format).run().with_row(kNan)), RowFault::kNan);
  EXPECT_EQ(fault(Port(format).run().with_row(-kInfinity)), RowFault::kInfinite);
  Port one_nan(format);
  one_nan.run().set_y(kChanged, 17, kNan);
  EXPECT_EQ(fault(one_nan), RowFault::kNan);
}

TEST_P(SpecialRowsOf, ZerosGiveZeros) {
  Port port(*GetParam());
  for (std::size_t i = 0; i < kWidth; ++i) port.set_x(kChanged, i, 0);
  EXPECT_EQ(fault(port.run()), RowFault::kNumber);
  EXPECT_EQ(fault(port.with_row(1)), RowFault::kZeroRow);
  // 1/sqrt(1e-5) is no infinity, and nothing of it times 0 is NaN.
  EXPECT_EQ(fault(port.with_row(kNan)), RowFault::kZeroRow);
}

// Squares that vanish in binary32: r is that of epsilon alone.
TEST(SpecialRows, TinyInputsAreScaledByEpsilonAlone) {
  for (const FloatFormat* const format : {&kBf16, &kFp32}) {
    Port port(*format);
    for (std::size_t i = 0; i < kWidth; ++i) {
      port.set_x(kChanged, i, std::ldexp(static_cast<double>(i % 7) + 1, -60));
    }
    EXPECT_EQ(fault(port.run()), RowFault::kNumber);
    EXPECT_EQ(fault(port.with_row(0)), RowFault::kFar);
    EXPECT_EQ(fault(port.with_row(1)), RowFault::kFar);
    EXPECT_EQ(fault(port.with_row(kInfinity)), RowFault::kInfinite);
  }
}

TEST_P(SpecialRowsOf, NanGivesNan) {
  Port port(*GetParam());
  port.set_x(kChanged, 9, kNan);
  EXPECT_EQ(fault(port.run()), RowFault::kNumber);
  EXPECT_EQ(fault(port.with_row(0)), RowFault::kNanInput);
}

TEST_P(SpecialRowsOf, InfinityGivesZerosAndNan) {
  Port port(*GetParam());
  port.set_x(kChanged, 9, kInfinity);
  EXPECT_EQ(fault(port.run()), RowFault::kNumber);
  EXPECT_EQ(fault(port.with_row(kNan)), RowFault::kNumber);
  EXPECT_EQ(fault(port.with_row(7)), RowFault::kInfiniteInput);
}

INSTANTIATE_TEST_SUITE_P(Formats, SpecialRowsOf, testing::Values(&kBf16, &kFp16, &kFp32));

// x r is 200 at most: gains of 1e3 take some outputs of binary16 beyond 65504, and no fault is
// seen.
TEST(SpecialRows, AnOverflowIsExplained) {
  Port port(kFp16);
  Tensor weight(kFp16, 1, kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) {
    weight.set(0, i, convert(code_of(i == 20 ? 60000.0 : 1.0), kFp16));
  }
  port.value.weight = std::move(weight).share();
  port.set_x(kChanged, 20, 0.5);
  port.run();
  ASSERT_FALSE(is_finite(port.y.at(kChanged, 20)));
  const ObservedNorm norm{.site = "norm", .value = &port.value, .y = port.y.view()};
  const SpecialRows rows = found(port);
  EXPECT_FALSE(rows.any_fault());
  const RowsSeen& own = rows.overflows.at(static_cast<std::size_t>(Overflow::kOutput));
  EXPECT_GE(own.rows, 1U);
  ASSERT_EQ(rows.overflow_words(norm).size(), 1U);
  EXPECT_NE(rows.overflow_words(norm).front().find("the result itself may overflow"),
            std::string::npos);
}

// Rows so small that what is left of their squares is next to nothing, and constant ones, of which
// centring leaves noise, are no rows of zeros; a zero row makes the port be looked at.
TEST(SpecialRows, SmallAndConstantRowsOfALayerNormAreNoFault) {
  Port port(kFp32);
  for (std::size_t i = 0; i < kWidth; ++i) {
    port.set_x(kChanged, i, (i % 2 == 0 ? 1e-7 : -2e-7) * static_cast<double>(i % 5 + 1));
    port.set_x(1, i, 3);
    port.set_x(2, i, 0);
  }
  Recipe layer_norm;
  layer_norm.statistic.kind = StatisticKind::kVariance;
  port.run(layer_norm);
  for (std::size_t i = 0; i < kWidth; ++i) port.set_y(1, i, 1e-4);
  const ObservedNorm norm{.site = "norm", .value = &port.value, .y = port.y.view()};
  EliminatedHypothesis best;
  best.hypothesis = {"variance", "inside", "none", "0", "used", ""};
  best.epsilon = {0.99e-5, 1.01e-5};
  const RowCounts counts{.zero = 1};
  EXPECT_FALSE(special_rows(norm, best, counts).any_fault());
  port.set_y(2, 7, 1);
  EXPECT_TRUE(special_rows(norm, best, counts).any_fault());
}

TEST(SpecialRows, AreCalledByTheirNumbers) {
  SpecialRows rows = found(Port(kBf16).run().with_row(0));
  const std::vector<std::size_t> numbers = {10, 11, 12, 13, 14, 95, 96, 97};
  rows.name_rows(numbers);
  EXPECT_EQ(rows.fault_words().front(),
            "all outputs are 0 where normal numbers are due, in 1 row (the first is 95)");
}

}  // namespace
}  // namespace normcert
