// Inputs that are rounded or flushed before anything else.
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
#include "inference/viewed_ports.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

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
  return case_of(std::move(x), std::move(weight));
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
  const std::array<InputView, 3> views = {InputView{.group = 32}, InputView{.format = &kFp16},
                                          InputView{.format = &kBf16}};
  const auto facts_of = [&](const ObservedNorm& one, unsigned threads) {
    const std::vector<ViewFacts> facts = view_facts({&one, 1}, views, threads);
    EXPECT_EQ(facts.size(), views.size());
    // A group of channels converts nothing.
    EXPECT_FALSE(facts.at(0).changed || facts.at(0).stored_wider || facts.at(0).says_little);
    return facts.at(2);
  };
  EXPECT_TRUE(facts_of(norm, 1).changed);
  EXPECT_FALSE(facts_of(other, 1).changed);
  EXPECT_FALSE(facts_of(other, 1).stored_wider);
  EXPECT_FALSE(facts_of(norm, 1).says_little);
  const ObservedNorm stored{.site = "norm", .value = &narrow, .y = narrow.x};
  EXPECT_TRUE(facts_of(stored, 2).stored_wider);
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
