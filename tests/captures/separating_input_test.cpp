// Separating inputs: what is found differs, what is called equal never does.
#include "inference/separating_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/recipes.hpp"
#include "emulation/emulate.hpp"
#include "inference/recipe_equality.hpp"
#include "inference/separating_rows.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

const Recipe& named(std::string_view name) { return recipe_named(name, "test"); }

SeparationRequest request(std::size_t width, const FloatFormat& x, const FloatFormat* weight) {
  return {.width = width,
          .x = &x,
          .weight = weight,
          .epsilon = read_epsilon("1e-6", "", ""),
          .weight_offset = {},
          .seed = 0};
}

// By the slow evaluator, element by element.
std::size_t differing(const Recipe& a, const Recipe& b, const Case& value) {
  const RowView weight{value.weight ? value.weight->format : nullptr,
                       value.weight ? value.weight->bytes : std::span<const std::byte>()};
  RowInput input{.x = {value.x.format, value.x.row_bytes(0)},
                 .weight_offset = value.weight_offset.binary64,
                 .epsilon = value.epsilon.binary64};
  if (value.weight) input.weight = weight;
  const EmulatedRow first = emulate_row(a, input);
  const EmulatedRow second = emulate_row(b, input);
  std::size_t count = 0;
  for (std::size_t i = 0; i < first.y.size(); ++i) {
    if (!same_bits(first.y[i], second.y[i])) ++count;
  }
  return count;
}

// Holds what was found against the slow evaluator.
void expect_separated(const Recipe& a, const Recipe& b, const Separation& found) {
  ASSERT_TRUE(found.most.has_value());
  EXPECT_FALSE(found.equal.has_value());
  for (const auto* input : {&found.most, &found.smallest}) {
    if (!*input) continue;
    EXPECT_GT((*input)->differing, 0U);
    EXPECT_EQ((*input)->value.x.rows, 1U);
    EXPECT_EQ(differing(a, b, (*input)->value), (*input)->differing);
  }
}

TEST(SeparatingInput, TwoGainsDifferInEveryElement) {
  const Recipe& llama = named("hf.llama");
  const Recipe& gemma = named("hf.gemma");
  const Separation found = separate(llama, gemma, request(64, kBf16, &kBf16));
  expect_separated(llama, gemma, found);
  EXPECT_EQ(found.most->differing, 64U);
  ASSERT_TRUE(found.smallest.has_value());
  EXPECT_EQ(found.smallest->value.x.width, 1U);
  EXPECT_TRUE(found.smallest_is_proved);
}

TEST(SeparatingInput, EpsilonOutsideDiffersInEveryElement) {
  for (const FloatFormat* format : {&kFp32, &kBf16, &kFp16}) {
    const Recipe& right = named("hf.llama");
    const Recipe& wrong = named("wrong.epsilon_outside");
    const Separation found = separate(right, wrong, request(48, *format, format));
    expect_separated(right, wrong, found);
    EXPECT_EQ(found.most->differing, 48U) << format->name;
    EXPECT_EQ(found.smallest->value.x.width, 1U) << format->name;
  }
}

TEST(SeparatingInput, TheCastPointDiffersInEveryElement) {
  const Recipe& before = named("hf.llama");
  const Recipe& after = named("hf.olmo2");
  const Separation found = separate(before, after, request(64, kBf16, &kBf16));
  expect_separated(before, after, found);
  EXPECT_GE(found.most->differing, 60U);
}

// Two orders of a sum and two roots: one unit of binary32 apart at most.
TEST(SeparatingInput, TheSameFunctionOnAnotherDevice) {
  const Recipe& host = named("hf.llama");
  const Recipe& device = named("hf.llama.sm_90");
  for (const FloatFormat* format : {&kFp32, &kBf16}) {
    const Separation found = separate(host, device, request(64, *format, format));
    expect_separated(host, device, found);
    EXPECT_GE(found.most->differing, 32U) << format->name;
  }
}

TEST(SeparatingInput, ARecipeEqualsItself) {
  for (const Recipe& recipe : catalogue_recipes()) {
    const auto equal = proved_equal(recipe, recipe, {&kBf16, &kBf16, 0, 64});
    ASSERT_TRUE(equal.has_value()) << recipe.name;
    EXPECT_TRUE(equal->empty());
  }
  const Separation found =
      separate(named("hf.llama"), named("hf.llama"), request(64, kFp32, &kFp32));
  EXPECT_TRUE(found.equal.has_value());
  EXPECT_FALSE(found.most.has_value());
  EXPECT_EQ(found.rows_tried, 0U);
}

TEST(SeparatingInput, TheSameRequestGivesTheSameBytes) {
  const Recipe& a = named("hf.llama");
  const Recipe& b = named("hf.olmo2");
  const SeparationRequest asked = request(40, kFp16, &kFp32);
  const Separation first = separate(a, b, asked);
  const Separation again = separate(a, b, asked);
  ASSERT_TRUE(first.most && again.most);
  EXPECT_TRUE(std::ranges::equal(first.most->value.x.bytes, again.most->value.x.bytes));
  EXPECT_TRUE(std::ranges::equal(first.most->value.weight->bytes, again.most->value.weight->bytes));
  SeparationRequest other = asked;
  other.seed = 1;
  const Separation seeded = separate(a, b, other);
  EXPECT_FALSE(std::ranges::equal(first.most->value.x.bytes, seeded.most->value.x.bytes));
}

TEST(SeparatingInput, WidthsThatDoNotFitAreRefused) {
  Recipe grouped = named("hf.llama");
  grouped.statistic.group = 48;
  EXPECT_THROW(static_cast<void>(separate(grouped, named("hf.llama"), request(64, kFp32, &kFp32))),
               InputError);
}

// `change` applied to hf.llama is, or is not, visible.
template <typename Change>
bool is_unseen(const InputShape& shape, Change change) {
  const Recipe& recipe = named("hf.llama");
  Recipe changed = recipe;
  change(changed);
  EXPECT_FALSE(differences(recipe, changed).empty());
  const auto equal = proved_equal(recipe, changed, shape);
  return equal.has_value();
}

TEST(RecipeEquality, WhatAFormatCannotShow) {
  const InputShape fp32{&kFp32, &kFp32, 0, 64};
  const InputShape bf16{&kBf16, &kBf16, 0, 64};
  const InputShape fp16{&kFp16, &kFp16, 0, 64};
  const InputShape weightless{&kBf16, nullptr, 0, 64};
  const auto cast = [](Recipe& r) { r.cast = CastPoint::kAfterWeight; };
  EXPECT_TRUE(is_unseen(fp32, cast));
  EXPECT_FALSE(is_unseen(bf16, cast));
  EXPECT_TRUE(is_unseen(weightless, cast));
  const auto clamp = [](Recipe& r) { r.before = PreStep::kClamp65504; };
  EXPECT_TRUE(is_unseen(fp16, clamp));
  EXPECT_FALSE(is_unseen(bf16, clamp));
  const auto mean = [](Recipe& r) { r.statistic.mean = MeanStep::kMultiplyReciprocal; };
  EXPECT_TRUE(is_unseen(fp32, mean));
  EXPECT_FALSE(is_unseen({&kFp32, &kFp32, 0, 65}, mean));
  const auto root = [](Recipe& r) { r.root.kind = RootKind::kRsqrtCorrect; };
  EXPECT_FALSE(is_unseen(fp32, root));
  const auto rstd = [](Recipe& r) { r.statistic_rounding = StatisticRounding::kRstd; };
  EXPECT_TRUE(is_unseen(fp32, rstd));
  EXPECT_FALSE(is_unseen(fp16, rstd));
  const auto residual = [](Recipe& r) { r.residual = ResidualMode::kUnrounded; };
  EXPECT_TRUE(is_unseen(bf16, residual));
  const auto gain = [](Recipe& r) { r.weight.form = WeightForm::kNone; };
  EXPECT_FALSE(is_unseen(bf16, gain));
  EXPECT_TRUE(is_unseen(weightless, gain));
}

SummationOrder order(OrderKind kind) {
  SummationOrder order;
  order.kind = kind;
  return order;
}

TEST(RecipeEquality, OrdersAreComparedAdditionByAddition) {
  const SummationOrder sequential = order(OrderKind::kSequential);
  SummationOrder pairs = order(OrderKind::kPairwise);
  pairs.base = 1;
  SummationOrder fused = sequential;
  fused.fma = true;
  const auto same = [](const SummationOrder& a, const SummationOrder& b, std::size_t count) {
    return same_additions(a, b, count, false, false);
  };
  EXPECT_TRUE(same(sequential, pairs, 2));   // p0 + p1
  EXPECT_FALSE(same(sequential, pairs, 3));  // (p0 + p1) + p2, p0 + (p1 + p2)
  EXPECT_TRUE(same(sequential, fused, 1));
  EXPECT_FALSE(same(sequential, fused, 2));
  EXPECT_TRUE(same_additions(sequential, fused, 100, false, true));
  pairs.base = 8;
  EXPECT_TRUE(same(sequential, pairs, 8));
  EXPECT_FALSE(same(sequential, pairs, 9));
  // An order that is not known is shown equal to no other but where there is only one.
  EXPECT_FALSE(same(order(OrderKind::kAny), pairs, 8));
  EXPECT_TRUE(same(order(OrderKind::kAny), pairs, 2));
}

// Every pair of the catalogue that is called equal, on rows made to tell recipes apart.
TEST(RecipeEquality, WhatIsProvedIsNeverRefuted) {
  std::size_t proved = 0;
  std::size_t rows = 0;
  const auto recipes = catalogue_recipes();
  const std::vector<InputShape> shapes = {{&kFp32, &kFp32, 0, 3},  {&kFp32, nullptr, 0, 16},
                                          {&kFp16, &kFp16, 0, 8},  {&kBf16, nullptr, 0, 2},
                                          {&kBf16, &kFp32, 1, 16}, {&kFp16, nullptr, 0, 33}};
  for (const InputShape& shape : shapes) {
    RowDemand demand{.width = shape.width,
                     .rows = 64,
                     .x = shape.x,
                     .weight = shape.weight,
                     .epsilon = 1e-6,
                     .weight_offset = shape.weight_offset,
                     .seed = 1};
    for (std::size_t i = 0; i < recipes.size(); ++i) {
      for (std::size_t j = i + 1; j < recipes.size(); ++j) {
        if (!both_fit(recipes[i], recipes[j], shape.width)) continue;
        // The rows below have no gate.
        if (recipes[i].gate != GateMode::kNone || recipes[j].gate != GateMode::kNone) continue;
        const auto equal = proved_equal(recipes[i], recipes[j], shape);
        if (!equal || equal->empty()) continue;
        ++proved;
        for (const RowFamily family : {RowFamily::kNormal, RowFamily::kEven, RowFamily::kTuned}) {
          RowBatch batch = separating_rows(demand, family, 0);
          if (batch.x.rows == 0) continue;
          Case value;
          value.x = std::move(batch.x).share();
          if (batch.weight) value.weight = std::move(*batch.weight).share();
          value.epsilon = read_epsilon("1e-6", "", "");
          value.weight_offset.binary64 = shape.weight_offset;
          rows += value.x.rows;
          for (const std::size_t count : count_differing(recipes[i], recipes[j], value)) {
            ASSERT_EQ(count, 0U) << recipes[i].name << " and " << recipes[j].name << ", width "
                                 << shape.width << ", " << shape.x->name;
          }
        }
      }
    }
  }
  EXPECT_GE(proved, 100U);
  EXPECT_GE(rows, 64U * proved);
  RecordProperty("pairs", static_cast<int>(proved));
}

}  // namespace
}  // namespace normcert
