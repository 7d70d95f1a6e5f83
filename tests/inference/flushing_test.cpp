// Subnormal numbers written as zero, counted by hand.
#include "inference/flushing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "inference/elimination.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidth = 32;
constexpr std::size_t kRows = 6;
constexpr double kLeastNormal = 0x1p-14;  // of binary16

// One great number in each row, so that r = 2 (a mean square of 1/4); three small ones; the rest
// ordinary. Outputs of the small ones: 2^-13 normal, 2^-15 and 2^-16 subnormal.
constexpr double kGreat = 2.0;

Case case_of(const std::vector<double>& small) {
  Tensor x(kFp16, kRows, kWidth);
  const RandomStream random(4, "flushing");
  for (std::size_t row = 0; row < kRows; ++row) {
    double left = 8 - kGreat * kGreat;  // of a sum of squares of 32/4
    for (std::size_t i = 0; i < kWidth; ++i) {
      double number = i == 0 ? kGreat : 0;
      if (i > 0 && i <= small.size()) number = small[i - 1];
      if (i > small.size()) {
        const auto others = static_cast<double>(kWidth - 1 - small.size());
        number = std::sqrt(left / others) * (random.uniform(row * kWidth + i) < 0.5 ? -1 : 1);
      }
      x.set(row, i, convert(code_of(number), kFp16));
    }
  }
  Case value;
  value.x = std::move(x).share();
  value.weight_none = true;
  value.epsilon = {"1e-6", 1e-6};
  return value;
}

using Change = std::function<double(double x, double y, std::size_t row)>;

TensorView outputs(const Case& value, const Change& change) {
  Tensor y(kFp16, kRows, kWidth);
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      sum += std::pow(to_binary64(value.x.at(row, i)), 2);
    }
    const double r = 1 / std::sqrt(sum / kWidth + value.epsilon.binary64);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double x = to_binary64(value.x.at(row, i));
      y.set(row, i, convert(code_of(change(x, x * r, row)), kFp16));
    }
  }
  return std::move(y).share();
}

double right(double, double y, std::size_t) { return y; }
double without_subnormal_results(double, double y, std::size_t) {
  return std::fabs(y) < kLeastNormal ? 0 : y;
}
double without_subnormal_inputs(double x, double y, std::size_t) {
  return std::fabs(x) < kLeastNormal ? 0 : y;
}

std::vector<std::string> symptoms(const Case& value, const TensorView& y) {
  const ObservedNorm norm{.site = "norm", .value = &value, .y = y};
  const Elimination result = eliminate({&norm, 1}, {}).joint;
  EXPECT_EQ(result.declared, DeclaredOutcome::kFits);
  std::vector<std::string> found;
  for (const std::string& words : result.symptoms) {
    if (words.find("subnormal") != std::string::npos) found.push_back(words);
  }
  return found;
}

// 2^-14 is normal and gives 2^-13; 2^-15 and 2^-16, which r doubles, are subnormal inputs: the
// first gives a number at the very end of the range, which counts as neither, the second one that
// is subnormal itself.
TEST(Flushing, CountsByHand) {
  const Case value = case_of({0x1p-14, 0x1p-15, 0x1p-16, 0x1.8p-15});
  const ObservedNorm norm{.site = "norm", .value = &value, .y = outputs(value, right)};
  const Flushing seen = flushing_of(norm, nullptr);
  EXPECT_EQ(seen.results_kept, 0U);
  EXPECT_EQ(seen.inputs_kept, kRows);  // 1.5 2^-15 gives 1.5 2^-14
  EXPECT_EQ(seen.either_kept, kRows);  // 2^-16
  EXPECT_EQ(seen.results + seen.inputs + seen.either, 0U);
}

TEST(Flushing, RightPortsFlushNothing) {
  const Case value = case_of({0x1p-14, 0x1p-15, 0x1p-16, 0x1.8p-15});
  EXPECT_TRUE(symptoms(value, outputs(value, right)).empty());
}

TEST(Flushing, SubnormalInputsAsZeroAreNamed) {
  const Case value = case_of({0x1p-13, 0x1.8p-15, 0x1.4p-15, 0x1.4p-16});
  const auto found = symptoms(value, outputs(value, without_subnormal_inputs));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("the outputs of all 12 elements whose x is subnormal in fp16 are 0"),
            std::string::npos)
      << found.front();
}

// A weight that makes ordinary inputs small: their outputs are subnormal, they are not.
TEST(Flushing, SubnormalResultsAsZeroAreNamed) {
  Case value = case_of({0x1p-12, 0x1p-10});
  Tensor weight(kFp16, 1, kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) {
    weight.set(0, i, convert(code_of(i == 1 ? 0x1p-4 : 1.0), kFp16));
  }
  value.weight = std::move(weight).share();
  value.weight_none = false;
  value.weight_offset_given = true;
  const auto with_weight = [&](const Change& change) {
    TensorView y = outputs(value, [&](double x, double plain, std::size_t row) {
      return change(x, x == 0x1p-12 ? plain * 0x1p-4 : plain, row);
    });
    return symptoms(value, y);
  };
  const auto found = with_weight(without_subnormal_results);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("all 6 elements that would be subnormal in fp16 are 0"),
            std::string::npos)
      << found.front();
  EXPECT_TRUE(with_weight(right).empty());
  // One that is kept is enough: something else made the others zero.
  EXPECT_TRUE(with_weight([](double x, double y, std::size_t row) {
                return row == 2 ? y : without_subnormal_results(x, y, row);
              }).empty());
}

TEST(Flushing, WhereBothCouldBeNeitherIsNamedAlone) {
  const Case value = case_of({0x1p-13, 0x1.4p-16, 0x1.8p-17});
  const auto found = symptoms(value, outputs(value, without_subnormal_results));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("inputs or results: all 12 elements"), std::string::npos)
      << found.front();
}

// Inputs that give normal outputs are kept: so it is the results that are not.
TEST(Flushing, ResultsOfSubnormalInputsAreNamedWhereOtherInputsAreKept) {
  const Case value = case_of({0x1p-13, 0x1.4p-16, 0x1.8p-17, 0x1.8p-15, 0x1.9p-15});
  const auto found = symptoms(value, outputs(value, without_subnormal_results));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("results are flushed to zero: all 12 elements that would be "
                               "subnormal in fp16 are 0"),
            std::string::npos)
      << found.front();
  // One of them that is kept is enough to say nothing.
  EXPECT_TRUE(symptoms(value, outputs(value,
                                      [](double x, double y, std::size_t row) {
                                        return row == 2 ? y : without_subnormal_results(x, y, row);
                                      }))
                  .empty());
}

// x times a weight next to the least number of binary16 is less than that, but vanishes in no port
// that rounds once.
TEST(Flushing, ResultsOfASubnormalWeightAreNamed) {
  Case value = case_of({0x1.8p-3, 0x1p-2});
  Tensor weight(kFp16, 1, kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) {
    weight.set(0, i, convert(code_of(i == 1 ? 0x1p-20 : i % 2 == 0 ? 1.0 : 1.3), kFp16));
  }
  value.weight = std::move(weight).share();
  value.weight_none = false;
  value.weight_offset_given = true;
  const auto with_weight = [&](bool flushes) {
    Tensor y(kFp16, kRows, kWidth);
    for (std::size_t row = 0; row < kRows; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < kWidth; ++i) {
        sum += std::pow(to_binary64(value.x.at(row, i)), 2);
      }
      for (std::size_t i = 0; i < kWidth; ++i) {
        const double gain = to_binary64(value.weight->at(0, i));
        const double number =
            to_binary64(value.x.at(row, i)) / std::sqrt(sum / kWidth + 1e-6) * gain;
        y.set(row, i, convert(code_of(flushes && i == 1 ? 0.0 : number), kFp16));
      }
    }
    return symptoms(value, std::move(y).share());
  };
  const auto found = with_weight(true);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("all 6 elements that would be subnormal in fp16 are 0"),
            std::string::npos)
      << found.front();
  EXPECT_TRUE(with_weight(false).empty());
}

}  // namespace
}  // namespace normcert
