// Groups of channels with a statistic each, divisors of groups, and inputs that are converted or
// flushed first: named where a port has them, and never where a right port is judged.
#include "inference/input_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "inference/elimination.hpp"
#include "inference/synthetic_ports.hpp"
#include "inference/viewed_ports.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

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

}  // namespace
}  // namespace normcert
