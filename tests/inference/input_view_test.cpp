// Groups of channels with a statistic each, divisors of groups, and inputs that are converted or
// flushed first: named where a port has them, and never where a right port is judged.
#include "inference/input_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "inference/declared_function.hpp"
#include "inference/elimination.hpp"
#include "inference/synthetic_ports.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kRows = 10;
constexpr double kEpsilon = 1e-5;
constexpr std::array kFormats = {&kBf16, &kFp16, &kFp32};

// Every other row has a mean square from a tenth of epsilon to ten times it.
Case rows_of(const FloatFormat& format, std::size_t width, std::uint64_t seed) {
  const RandomStream random(seed, "input views");
  Tensor x(format, kRows, width);
  Tensor weight(format, 1, width);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double share = static_cast<double>(row) / (kRows - 1);
    const double rms = row % 2 == 0 ? std::sqrt(kEpsilon * std::pow(10.0, 2 * share - 1)) : 0.5;
    for (std::size_t i = 0; i < width; ++i) {
      x.set(row, i, convert(code_of(rms * random.normal(row * width + i)), format));
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    weight.set(0, i, convert(code_of(1 + 0.2 * random.normal(kRows * width + i)), format));
  }
  Case value;
  value.x = std::move(x).share();
  value.weight = std::move(weight).share();
  value.weight_offset_given = true;
  value.epsilon = {"1e-5", kEpsilon};
  return value;
}

double at(const TensorView& tensor, std::size_t row, std::size_t i) {
  return to_binary64(tensor.at(row, i));
}

// The sum over the row, of the numbers that `seen` makes of x, divided by `divisor`.
TensorView outputs(const Case& value, double divisor, auto seen) {
  Tensor y(*value.x.format, value.x.rows, value.x.width);
  for (std::size_t row = 0; row < y.rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < y.width; ++i) sum += std::pow(seen(at(value.x, row, i)), 2);
    const double r = 1 / std::sqrt(sum / divisor + value.epsilon.binary64);
    for (std::size_t i = 0; i < y.width; ++i) {
      const double gain = value.weight ? at(*value.weight, 0, i) : 1;
      y.set(row, i, convert(code_of(seen(at(value.x, row, i)) * r * gain), *y.format));
    }
  }
  return std::move(y).share();
}

double as_it_is(double x) { return x; }

Elimination eliminated(const Case& value, const TensorView& y, const Recipe* recipe = nullptr) {
  const ObservedNorm norm{.site = "norm", .value = &value, .y = y};
  EliminationOptions options;
  if (recipe != nullptr) options.recipes = {recipe};
  return eliminate({&norm, 1}, options).joint;
}

// 2, 4 and 8 groups, and groups of 64 and 128.
std::vector<std::size_t> groups_of(std::size_t width) {
  std::vector<std::size_t> groups = {width / 2, width / 4, width / 8};
  for (const std::size_t size : {std::size_t{64}, std::size_t{128}}) {
    if (size < width && width % size == 0 && std::ranges::find(groups, size) == groups.end()) {
      groups.push_back(size);
    }
  }
  return groups;
}

bool survives_by_view(const Elimination& result) {
  return std::ranges::any_of(result.hypotheses, [](const EliminatedHypothesis& one) {
    const Hypothesis& words = one.hypothesis;
    return one.status == HypothesisStatus::kSurvives &&
           (words.statistic.find("group") != std::string::npos ||
            words.rounding.find(" x as ") != std::string::npos);
  });
}

TEST(InputViews, AStatisticForEachGroupIsNamed) {
  std::size_t cases = 0;
  for (const FloatFormat* const format : kFormats) {
    for (const std::size_t width : {256U, 384U, 1024U}) {
      for (const std::size_t group : groups_of(width)) {
        for (const CastPoint cast : {CastPoint::kBeforeWeight, CastPoint::kAfterWeight}) {
          SCOPED_TRACE(std::string(format->name) + " " + std::to_string(width) + " / " +
                       std::to_string(group));
          const Case value = rows_of(*format, width, cases + 1);
          Recipe recipe;
          recipe.name = "test.grouped";
          recipe.statistic.group = static_cast<int>(group);
          recipe.cast = cast;
          const TensorView y = std::move(emulate_block(recipe, block_input(value)).y).share();
          const Elimination result = eliminated(value, y, &recipe);
          ++cases;
          ASSERT_FALSE(result.hypotheses.empty());
          const EliminatedHypothesis& best = result.hypotheses.front();
          EXPECT_EQ(best.hypothesis.statistic, "mean_square_per_group_" + std::to_string(group));
          EXPECT_EQ(best.hypothesis.placement, "inside");
          EXPECT_EQ(best.status, HypothesisStatus::kSurvives);
          EXPECT_TRUE(best.epsilon.contains(kEpsilon));
          EXPECT_LT(best.epsilon.high / best.epsilon.low, 1.5);
          EXPECT_EQ(result.outcome, EliminationOutcome::kExplained);
          EXPECT_EQ(result.declared, DeclaredOutcome::kImpossible);
          EXPECT_TRUE(std::ranges::any_of(result.hypotheses, [](const auto& one) {
            return one.status == HypothesisStatus::kSurvives && !one.recipes.empty();
          }));
        }
      }
    }
  }
  EXPECT_EQ(cases, 3U * 2U * (3U + 5U + 4U));
}

// What refutes another hypothesis about groups stands where it stands in the row.
TEST(InputViews, WitnessesOfGroupsAreChannelsOfTheRow) {
  const Case value = rows_of(kBf16, 256, 3);
  Recipe recipe;
  recipe.statistic.group = 64;
  const TensorView y = std::move(emulate_block(recipe, block_input(value)).y).share();
  std::size_t beyond_the_first = 0;
  for (const EliminatedHypothesis& one : eliminated(value, y).hypotheses) {
    const bool grouped = one.hypothesis.statistic.ends_with("_per_group_64");
    if (!grouped || one.refutation.kind != RefutationKind::kRows) continue;
    for (const ElementWitness* const witness : {&one.refutation.first, &one.refutation.second}) {
      EXPECT_EQ(witness->site, 0U);
      EXPECT_EQ(witness->x, at(value.x, witness->row, witness->index));
      EXPECT_EQ(witness->got, at(y, witness->row, witness->index));
      beyond_the_first += witness->index >= 64 ? 1 : 0;
    }
  }
  EXPECT_GE(beyond_the_first, 4U);
}

TEST(InputViews, TheSizeOfAGroupAsDivisorIsNamed) {
  std::size_t cases = 0;
  for (const FloatFormat* const format : kFormats) {
    for (const std::size_t width : {256U, 384U, 1024U}) {
      for (const std::size_t group : groups_of(width)) {
        const Case value = rows_of(*format, width, cases + 1);
        const TensorView y = outputs(value, static_cast<double>(group), as_it_is);
        const Elimination result = eliminated(value, y);
        ++cases;
        ASSERT_FALSE(result.hypotheses.empty());
        EXPECT_EQ(result.hypotheses.front().hypothesis.statistic,
                  "grouped_" + std::to_string(group))
            << format->name << " " << width;
        EXPECT_EQ(result.outcome, EliminationOutcome::kExplained);
        EXPECT_EQ(result.declared, DeclaredOutcome::kImpossible);
      }
    }
  }
  EXPECT_EQ(cases, 3U * (3U + 5U + 4U));
}

TEST(InputViews, RightPortsAreNoGroups) {
  std::size_t ports = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const SyntheticPort port = synthetic_port(number, 512, false);
    EXPECT_FALSE(survives_by_view(eliminated(port.value, port.y))) << described(number, port);
    ++ports;
  }
  EXPECT_EQ(ports, 200U);
}

// A right port of numbers that were rounded after it had used them: nothing as it was captured
// explains it, and no view of it may either.
TEST(InputViews, OtherValuesThanTheCapturedAreNoGroups) {
  std::size_t unexplained = 0;
  for (const FloatFormat* const format : kFormats) {
    for (const std::size_t width : {64U, 96U, 512U}) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Case value = rows_of(*format, width, 100 + seed);
        Case exact = value;
        Tensor x(kFp32, kRows, width);
        const RandomStream random(seed, "lost digits");
        for (std::size_t row = 0; row < kRows; ++row) {
          for (std::size_t i = 0; i < width; ++i) {
            const double digits =
                std::ldexp(random.uniform(row * width + i) - 0.5, -std::min(format->precision, 20));
            x.set(row, i, convert(code_of(at(value.x, row, i) * (1 + digits)), kFp32));
          }
        }
        exact.x = std::move(x).share();
        const TensorView wide = outputs(exact, static_cast<double>(width), as_it_is);
        Tensor y(*format, kRows, width);
        for (std::size_t row = 0; row < kRows; ++row) {
          for (std::size_t i = 0; i < width; ++i) y.set(row, i, convert(wide.at(row, i), *format));
        }
        const Elimination result = eliminated(value, std::move(y).share());
        EXPECT_FALSE(survives_by_view(result)) << format->name << " " << width << " " << seed;
        EXPECT_NE(result.declared, DeclaredOutcome::kImpossible);
        unexplained += result.outcome == EliminationOutcome::kUnexplained ? 1 : 0;
      }
    }
  }
  EXPECT_GE(unexplained, 60U);
}

// A residual stream in binary32 whose numbers are almost all those of a narrower format: the norm's
// output is narrow, and x * r is rounded to it before the weight. No view is needed, and none is
// believed.
TEST(InputViews, CastsToTheFormatOfTheOutputAreNoConversions) {
  for (const FloatFormat* const format : {&kBf16, &kFp16}) {
    for (const std::size_t odd : {std::size_t{0}, std::size_t{1}, std::size_t{40}}) {
      const Case narrow = rows_of(*format, 256, 11);
      const Case weights = rows_of(kFp32, 256, 12);
      Case value = narrow;
      Tensor x(kFp32, kRows, 256);
      for (std::size_t row = 0; row < kRows; ++row) {
        for (std::size_t i = 0; i < 256; ++i) {
          x.set(row, i, convert(narrow.x.at(row, i), kFp32));
        }
      }
      for (std::size_t k = 0; k < odd; ++k) {
        const std::size_t row = (k * 7 + 3) % kRows;
        x.set(row, 5 * k, next_up(x.at(row, 5 * k)));
      }
      value.x = std::move(x).share();
      value.weight = weights.weight;
      Tensor y(*format, kRows, 256);
      for (std::size_t row = 0; row < kRows; ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < 256; ++i) sum += std::pow(at(value.x, row, i), 2);
        const double r = 1 / std::sqrt(sum / 256 + kEpsilon);
        for (std::size_t i = 0; i < 256; ++i) {
          const Code middle = convert(code_of(at(value.x, row, i) * r), *format);
          y.set(row, i, convert(code_of(to_binary64(middle) * at(*value.weight, 0, i)), *format));
        }
      }
      const Elimination result = eliminated(value, std::move(y).share());
      EXPECT_EQ(result.declared, DeclaredOutcome::kFits) << format->name << " " << odd;
      EXPECT_FALSE(survives_by_view(result)) << format->name << " " << odd;
      const bool named = std::ranges::any_of(result.hypotheses, [](const auto& one) {
        return one.status == HypothesisStatus::kSurvives &&
               one.hypothesis.rounding == "before_weight_to_output_dtype";
      });
      EXPECT_TRUE(named) << format->name << " " << odd;
    }
  }
}

TEST(InputViews, InputsThatAreRoundedFirstAreNamed) {
  for (const FloatFormat* const narrow : {&kBf16, &kFp16}) {
    const Case value = rows_of(kFp32, 128, 5);
    const TensorView y =
        outputs(value, 128, [&](double x) { return to_binary64(convert(code_of(x), *narrow)); });
    const Elimination result = eliminated(value, y);
    ASSERT_FALSE(result.hypotheses.empty());
    const Hypothesis& best = result.hypotheses.front().hypothesis;
    EXPECT_EQ(best.statistic, "mean_square");
    EXPECT_TRUE(best.rounding.ends_with(", x as " + std::string(narrow->name))) << best.rounding;
    EXPECT_EQ(converted_format(best), narrow);
    EXPECT_EQ(result.declared, DeclaredOutcome::kFits);
    // The epsilon is the declared one, but no digit of the inputs may be lost.
    EXPECT_TRUE(is_declared_function(best, "0", StatisticKept::kAnyFormat));
    EXPECT_FALSE(is_declared_function(best, "0", StatisticKept::kBinary32));
  }
}

// Numbers of `narrow` in binary32, but for those of one row.
Case nearly_all(const FloatFormat& narrow, std::size_t rows, std::size_t odd_row) {
  const RandomStream random(21, "nearly all");
  Tensor x(kFp32, rows, 64);
  Tensor weight(kFp32, 1, 64);
  for (std::size_t row = 0; row < rows; ++row) {
    const double rms = row % 2 == 0 ? 0.003 : 0.5;
    for (std::size_t i = 0; i < 64; ++i) {
      const Code wide = convert(code_of(rms * random.normal(row * 64 + i)), kFp32);
      x.set(row, i, row == odd_row ? wide : convert(convert(wide, narrow), kFp32));
    }
  }
  for (std::size_t i = 0; i < 64; ++i) {
    weight.set(0, i, convert(code_of(1 + 0.2 * random.normal(rows * 64 + i)), kFp32));
  }
  Case value;
  value.x = std::move(x).share();
  value.weight = std::move(weight).share();
  value.weight_offset_given = true;
  value.epsilon = {"1e-5", kEpsilon};
  return value;
}

TensorView of_narrowed(const Case& value, const FloatFormat& narrow) {
  return outputs(value, 64, [&](double x) { return to_binary64(convert(code_of(x), narrow)); });
}

bool names_conversion(const Elimination& result, const FloatFormat& narrow) {
  return !result.hypotheses.empty() &&
         result.hypotheses.front().status == HypothesisStatus::kSurvives &&
         result.hypotheses.front().hypothesis.statistic == "mean_square" &&
         converted_format(result.hypotheses.front().hypothesis) == &narrow;
}

// Wherever it stands: whether a conversion changes anything is asked of every row.
TEST(InputViews, AConversionThatChangesOneRowOfManyIsNamed) {
  for (const FloatFormat* const narrow : {&kBf16, &kFp16}) {
    for (const std::size_t row : {std::size_t{0}, std::size_t{41}, std::size_t{599}}) {
      const Case value = nearly_all(*narrow, 600, row);
      const Elimination result = eliminated(value, of_narrowed(value, *narrow));
      EXPECT_TRUE(names_conversion(result, *narrow)) << narrow->name << " " << row;
      EXPECT_EQ(result.declared, DeclaredOutcome::kFits) << narrow->name << " " << row;
    }
  }
}

// The rows that are looked at first are zero: they refute nothing.
TEST(InputViews, AConversionIsNamedBesidePadding) {
  Case value = nearly_all(kBf16, 120, 7);
  Tensor x(kFp32, 120, 64);
  for (std::size_t row = 0; row < 120; ++row) {
    for (std::size_t i = 0; i < 64; ++i) {
      x.set(row, i, row % 10 == 0 ? zero_of(kFp32, false) : value.x.at(row, i));
    }
  }
  value.x = std::move(x).share();
  EXPECT_TRUE(names_conversion(eliminated(value, of_narrowed(value, kBf16)), kBf16));
}

TEST(InputViews, WhatAConversionDoesIsAskedOfEveryRow) {
  const Case value = nearly_all(kBf16, 600, 599);
  const TensorView y = of_narrowed(value, kBf16);
  const ObservedNorm norm{.site = "norm", .value = &value, .y = y};
  const Case narrow = nearly_all(kBf16, 600, 600);
  const ObservedNorm other{.site = "norm", .value = &narrow, .y = y};
  const InputView view{.format = &kBf16};
  EXPECT_TRUE(view_facts({&norm, 1}, view, 1).changed);
  EXPECT_FALSE(view_facts({&other, 1}, view, 1).changed);
  EXPECT_FALSE(view_facts({&other, 1}, view, 1).stored_wider);
  EXPECT_FALSE(view_facts({&norm, 1}, view, 1).says_little);
  const ObservedNorm stored{.site = "norm", .value = &narrow, .y = narrow.x};
  EXPECT_TRUE(view_facts({&stored, 1}, view, 2).stored_wider);
}

// One row of 64 numbers lets many functions stand: none of them alone, and the declared one is
// among them.
TEST(InputViews, OneRowAccusesNoRightPort) {
  std::size_t ports = 0;
  for (const FloatFormat* const y : kFormats) {
    for (const FloatFormat* const weight : kFormats) {
      for (const CastPoint cast : {CastPoint::kBeforeWeight, CastPoint::kAfterWeight}) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          const RandomStream random(seed, "one row");
          Tensor x(kFp32, 1, 64);
          Tensor gain(*weight, 1, 64);
          for (std::size_t i = 0; i < 64; ++i) {
            x.set(0, i, convert(code_of(0.5 * random.normal(i)), kFp32));
            gain.set(0, i, convert(code_of(1 + 0.2 * random.normal(64 + i)), *weight));
          }
          Case value;
          value.x = std::move(x).share();
          value.weight = std::move(gain).share();
          value.weight_offset_given = true;
          value.epsilon = {"1e-5", kEpsilon};
          double sum = 0;
          for (std::size_t i = 0; i < 64; ++i) sum += std::pow(at(value.x, 0, i), 2);
          const double r = 1 / std::sqrt(sum / 64 + kEpsilon);
          Tensor outputs(*y, 1, 64);
          for (std::size_t i = 0; i < 64; ++i) {
            double row = at(value.x, 0, i) * r;
            if (cast == CastPoint::kBeforeWeight) row = to_binary64(convert(code_of(row), *y));
            outputs.set(0, i, convert(code_of(row * at(*value.weight, 0, i)), *y));
          }
          const Elimination result = eliminated(value, std::move(outputs).share());
          EXPECT_NE(result.declared, DeclaredOutcome::kImpossible)
              << y->name << " " << weight->name << " " << seed;
          EXPECT_NE(result.outcome, EliminationOutcome::kExplained)
              << y->name << " " << weight->name << " " << seed;
          ++ports;
        }
      }
    }
  }
  EXPECT_EQ(ports, 72U);
}

// Without a weight the last product is the only one, and it is in the narrow format.
TEST(InputViews, EveryOperationInANarrowFormatStoredWider) {
  Case value = rows_of(kFp32, 64, 6);
  value.weight.reset();
  value.weight_none = true;
  Recipe recipe;
  recipe.name = "test.bf16";
  recipe.convert_inputs = InputConversion::kBfloat16;
  recipe.cast = CastPoint::kEveryOp;
  recipe.association = Association::kXr;
  recipe.weight.form = WeightForm::kNone;
  const TensorView y = std::move(emulate_block(recipe, block_input(value)).y).share();
  const Elimination result = eliminated(value, y, &recipe);
  EXPECT_TRUE(std::ranges::any_of(result.hypotheses, [](const auto& one) {
    return one.status == HypothesisStatus::kSurvives && !one.recipes.empty();
  }));
}

// Half of the numbers are subnormal in binary16; the others are little greater but for every
// eighth, and epsilon is no greater than their squares.
TEST(InputViews, FlushedInputsThatChangeTheStatisticAreNamed) {
  const RandomStream random(8, "flushed");
  Tensor x(kFp16, kRows, 96);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < x.width; ++i) {
      const double scale = i % 8 == 0 ? 2e-3 : 9e-5;
      x.set(row, i, convert(code_of(scale * random.normal(row * x.width + i)), kFp16));
    }
  }
  Case value;
  value.x = std::move(x).share();
  value.weight_none = true;
  value.epsilon = {"1e-9", 1e-9};
  const auto flush = [](double number) { return std::fabs(number) < 0x1p-14 ? 0 : number; };
  const Elimination result = eliminated(value, outputs(value, 96, flush));
  ASSERT_FALSE(result.hypotheses.empty());
  EXPECT_TRUE(result.hypotheses.front().hypothesis.rounding.ends_with(", subnormal x as 0"))
      << result.hypotheses.front().hypothesis.statistic << ", "
      << result.hypotheses.front().hypothesis.placement;
  EXPECT_EQ(result.hypotheses.front().status, HypothesisStatus::kSurvives);
  EXPECT_EQ(result.declared, DeclaredOutcome::kFits);
  const Elimination right = eliminated(value, outputs(value, 96, as_it_is));
  ASSERT_FALSE(right.hypotheses.empty());
  EXPECT_FALSE(right.hypotheses.front().hypothesis.rounding.ends_with("as 0"));
  EXPECT_EQ(right.declared, DeclaredOutcome::kFits);
}

TEST(InputViews, Names) {
  EXPECT_EQ(InputView{.group = 128}.statistic("variance"), "variance_per_group_128");
  EXPECT_EQ(InputView{.format = &kFp16}.rounding("every_op"), "every_op, x as fp16");
  EXPECT_EQ(InputView{.flushes = true}.rounding("none"), "none, subnormal x as 0");
  EXPECT_EQ(InputView{}.statistic("variance"), "variance");
  Hypothesis plain;
  plain.rounding = "before_weight, offset bf16";
  EXPECT_EQ(converted_format(plain), nullptr);
}

}  // namespace
}  // namespace normcert
