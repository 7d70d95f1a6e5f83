// Outputs of kernels that no hypothesis covers: the symptom points at what was done to them.
#include "inference/symptoms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inference/outputs_only.hpp"
#include "inference/row_factors.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kRows = 40;
constexpr std::size_t kWidth = 96;
constexpr double kEpsilon = 1e-5;

using Element = std::function<double(std::size_t, std::size_t)>;

TensorView made(std::size_t rows, const FloatFormat& format, const Element& element) {
  Tensor tensor(format, rows, kWidth);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double value = element(row, i);
      tensor.set(
          row, i,
          std::isfinite(value) ? round(dyadic_of(value), format) : infinity_of(format, value < 0));
    }
  }
  return std::move(tensor).share();
}

// Rows whose mean squares run from 1e-5 to 10.
Case rows_of_many_sizes() {
  Case value;
  const RandomStream random(7, "rows");
  value.x = made(kRows, kBf16, [&](std::size_t row, std::size_t i) {
    const double scale = std::pow(10, -2.5 + 3.0 * static_cast<double>(row) / (kRows - 1));
    return scale * random.normal(row * kWidth + i);
  });
  const RandomStream gains(8, "gain");
  value.weight =
      made(1, kBf16, [&](std::size_t, std::size_t i) { return 1 + 0.2 * gains.normal(i); });
  value.epsilon = {"1e-5", kEpsilon};
  return value;
}

double at(const TensorView& tensor, std::size_t row, std::size_t i) {
  return to_binary64(tensor.at(row, i));
}

double mean_square(const Case& value, std::size_t row) {
  double sum = 0;
  for (std::size_t i = 0; i < kWidth; ++i) sum += std::pow(at(value.x, row, i), 2);
  return sum / kWidth;
}

// Outputs under another factor of the rows than 1/sqrt(q + epsilon).
TensorView outputs(const Case& value, const std::function<double(std::size_t)>& factor) {
  return made(kRows, kBf16, [&](std::size_t row, std::size_t i) {
    return at(*value.weight, 0, i) * at(value.x, row, i) * factor(row);
  });
}

double right(const Case& value, std::size_t row) {
  return 1 / std::sqrt(mean_square(value, row) + kEpsilon);
}

std::string code_of(const Case& value, const TensorView& y) {
  return symptoms_of(value, y).front().code;
}

TEST(RowFactors, AreTheExactOnesOfARightPort) {
  const Case value = rows_of_many_sizes();
  const TensorView y = outputs(value, [&](std::size_t row) { return right(value, row); });
  RowFactorReader factors(value, y);
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::optional<RowFactorView> view = factors.read(row);
    ASSERT_TRUE(view);
    EXPECT_NEAR(view->factor / view->exact, 1, factors.factor_limit()) << row;
    EXPECT_TRUE(factors.off().empty()) << row;
    EXPECT_EQ(factors.compared(), kWidth);
  }
}

// x r rounded to bfloat16, then times a gain: next to r = 1 and 1.5 the roundings of x r do not
// cancel, and more than six standard errors are nothing.
TEST(RowFactors, RoundingIsBiasedNextToNumbersOfFewDigits) {
  constexpr std::size_t kManyRows = 6000;
  const RandomStream random(9, "rows");
  Case value;
  value.x = made(kManyRows, kBf16, [&](std::size_t row, std::size_t i) {
    return (row % 2 == 0 ? 1 : 0.667) * random.normal(row * kWidth + i);
  });
  value.weight = rows_of_many_sizes().weight;
  value.epsilon = {"1e-5", kEpsilon};
  const TensorView y = made(kManyRows, kBf16, [&](std::size_t row, std::size_t i) {
    const double product = at(value.x, row, i) * right(value, row);
    return at(*value.weight, 0, i) * to_binary64(round(dyadic_of(product), kBf16));
  });
  RowFactorReader factors(value, y);
  std::size_t beyond_six_errors = 0;
  for (std::size_t row = 0; row < kManyRows; ++row) {
    const std::optional<RowFactorView> view = factors.read(row);
    ASSERT_TRUE(view);
    const double off = std::fabs(view->factor / view->exact - 1);
    EXPECT_LE(off, factors.factor_limit(*view)) << row;
    beyond_six_errors += off > factors.factor_limit() ? 1 : 0;
  }
  EXPECT_GT(beyond_six_errors, 0U);
}

TEST(Symptoms, OfTheRowsFactor) {
  const Case value = rows_of_many_sizes();
  const auto q = [&](std::size_t row) { return mean_square(value, row); };
  const auto with = [&](const std::function<double(std::size_t)>& factor) {
    return code_of(value, outputs(value, factor));
  };
  EXPECT_EQ(with([&](std::size_t row) { return 1 / std::sqrt(q(row) + 100 * kEpsilon); }),
            "small_rows");
  EXPECT_EQ(with([&](std::size_t row) { return right(value, row) + (q(row) > 1 ? 0.1 : 0); }),
            "large_rows");
  EXPECT_EQ(with([&](std::size_t row) { return 1.25 * right(value, row); }), "constant_factor");
  EXPECT_EQ(with([&](std::size_t row) { return 1 / std::sqrt(2 * q(row) + kEpsilon); }),
            "factor_of_q");
  EXPECT_EQ(with([&](std::size_t row) { return right(value, row - row % 4); }), "repeated_factor");
  EXPECT_EQ(with([&](std::size_t row) { return right(value, (row + 3) % kRows); }),
            "repeated_factor");
  EXPECT_EQ(with([&](std::size_t row) { return right(value, row) * (row % 8 == 7 ? 1.5 : 1); }),
            "some_rows");
  EXPECT_EQ(with([](std::size_t) { return 0.0; }), "all_zeros");
}

TEST(Symptoms, TheDivisorIsNamed) {
  const Case value = rows_of_many_sizes();
  const TensorView y = outputs(value, [&](std::size_t row) {
    return 1 / std::sqrt(mean_square(value, row) * kWidth / 128) * 1.0;
  });
  Case undeclared = value;
  undeclared.epsilon = {};
  const Symptom symptom = symptoms_of(undeclared, y).front();
  EXPECT_EQ(symptom.code, "constant_factor");
  EXPECT_NE(symptom.text.find("divided by about 128 instead of 96"), std::string::npos)
      << symptom.text;
}

TEST(Symptoms, OfPlacesInTheRow) {
  const Case value = rows_of_many_sizes();
  const auto with = [&](const Element& change) {
    return symptoms_of(value, made(kRows, kBf16,
                                   [&](std::size_t row, std::size_t i) {
                                     return at(*value.weight, 0, i) * at(value.x, row, i) *
                                            right(value, row) * change(row, i);
                                   }))
        .front();
  };
  const Symptom tail = with([](std::size_t, std::size_t i) { return i < 92 ? 1 : 0; });
  EXPECT_EQ(tail.code, "tail");
  EXPECT_NE(tail.text.find("92 .. 95"), std::string::npos) << tail.text;
  const Symptom channels = with([](std::size_t, std::size_t i) { return i % 32 == 5 ? 1.5 : 1; });
  EXPECT_EQ(channels.code, "channels");
  EXPECT_NE(channels.text.find("(5, 37, 69)"), std::string::npos) << channels.text;
  const RandomStream random(9, "noise");
  EXPECT_EQ(with([&](std::size_t row, std::size_t i) {
              return 1 + 0.3 * random.normal(row * kWidth + i);
            }).code,
            "scattered");
}

TEST(Symptoms, InfiniteOutputsAreCounted) {
  const Case value = rows_of_many_sizes();
  const TensorView y = outputs(value, [&](std::size_t row) {
    return row < 2 ? std::numeric_limits<double>::infinity() : right(value, row);
  });
  EXPECT_EQ(code_of(value, y), "non_finite");
}

// The residual was added in another format upstream: the rows' statistic is that of other values.
TEST(Symptoms, StatisticOfOtherValues) {
  const Case value = rows_of_many_sizes();
  const TensorView y = outputs(value, [&](std::size_t row) {
    return right(value, row) * (1 + (row % 2 == 0 ? 0.4 : -0.4) * 0x1p-8);
  });
  EXPECT_EQ(code_of(value, y), "statistic_not_from_these_values");
}

// Of many rows those around the first that deviates are compared with one another.
TEST(Symptoms, AnotherRowsFactorFarDownTheRows) {
  constexpr std::size_t kMany = 20'000;
  Case value;
  const RandomStream random(10, "many rows");
  value.x = made(kMany, kFp32, [&](std::size_t row, std::size_t i) {
    return std::pow(10, -2 * random.uniform(row)) * random.normal(kMany + row * kWidth + i);
  });
  value.weight_none = true;
  value.epsilon = {"1e-5", kEpsilon};
  const auto with = [&](const std::function<double(std::size_t)>& factor) {
    return symptoms_of(value, made(kMany, kFp32,
                                   [&, known = std::pair<std::size_t, double>(kMany, 0)](
                                       std::size_t row, std::size_t i) mutable {
                                     if (known.first != row) known = {row, factor(row)};
                                     return at(value.x, row, i) * known.second;
                                   }))
        .front();
  };
  const Symptom wrong_row =
      with([&](std::size_t row) { return right(value, row - (row < 15'000 ? 0 : 1)); });
  EXPECT_EQ(wrong_row.code, "repeated_factor");
  EXPECT_NE(wrong_row.text.find("row 15000 that of row 14999"), std::string::npos)
      << wrong_row.text;
  EXPECT_NE(wrong_row.text.find("2048 of 2048 deviating rows that were compared"),
            std::string::npos)
      << wrong_row.text;
  const Symptom some =
      with([&](std::size_t row) { return right(value, row) * (row % 1000 == 999 ? 1.5 : 1); });
  EXPECT_EQ(some.code, "some_rows");
  EXPECT_NE(some.text.find("20 of 20000 rows"), std::string::npos) << some.text;
}

TEST(OutputsOnly, SaysWhereEpsilonBites) {
  const Case value = rows_of_many_sizes();
  const TensorView y = outputs(value, [&](std::size_t row) { return right(value, row); });
  Case outputs_alone;
  outputs_alone.weight = value.weight;
  const OutputsOnly seen = outputs_only(outputs_alone, y);
  EXPECT_EQ(seen.rows, kRows);
  EXPECT_EQ(seen.above_one_rows, 0U);
  EXPECT_GT(seen.immaterial_rows, 10U);
  EXPECT_LT(seen.immaterial_rows, 30U);
  // The smallest row, whose q is about 1e-5.
  const double expected = mean_square(value, 0) / kEpsilon;
  EXPECT_NEAR(q_over_epsilon_at(seen.least_attenuation) / expected, 1, 0.05);
  EXPECT_NEAR(q_over_epsilon_at(std::sqrt(0.5)), 1, 1e-15);
}

TEST(OutputsOnly, AnotherGainIsNoAttenuation) {
  const Case value = rows_of_many_sizes();
  const TensorView y = outputs(value, [&](std::size_t row) { return right(value, row); });
  Case halved;
  halved.weight =
      made(1, kBf16, [&](std::size_t, std::size_t i) { return at(*value.weight, 0, i) / 2; });
  EXPECT_GT(outputs_only(halved, y).above_one_rows, kRows / 2);
}

}  // namespace
}  // namespace normcert
