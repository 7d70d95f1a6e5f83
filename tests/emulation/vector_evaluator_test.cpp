// The evaluator in vectors against the one in binary64, under every target.
#include "emulation/vector_evaluator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "emulation/each_target.hpp"
#include "emulation/random_recipe.hpp"
#include "emulation/sample_orders.hpp"
#include "emulation/sample_rows.hpp"

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 3> kDtypes = {&kBf16, &kFp16, &kFp32};

// A random recipe without the steps that the vectors do not have.
Recipe vector_recipe(RandomRecipes& draw) {
  Recipe recipe = draw.next();
  recipe.compute = ComputeFormat::kBinary32;
  recipe.before = PreStep::kNone;
  recipe.rounding = StoreRounding::kNearestEven;
  recipe.flush = FlushMode::kNone;
  if (recipe.convert_inputs == InputConversion::kBinary64) {
    recipe.convert_inputs = InputConversion::kBinary32;
  }
  if (recipe.statistic.kind == StatisticKind::kVariance) {
    recipe.statistic.kind = StatisticKind::kMeanSquare;
  }
  if (recipe.statistic.mean == MeanStep::kPrescaled) {
    recipe.statistic.mean = MeanStep::kMultiplyReciprocal;
  }
  if (recipe.statistic.accumulate == Accumulation::kExact ||
      recipe.statistic.accumulate == Accumulation::kBinary64) {
    recipe.statistic.accumulate = Accumulation::kBinary32;
  }
  if (recipe.epsilon.position == EpsilonPosition::kScaledByMax) {
    recipe.epsilon.position = EpsilonPosition::kInside;
  }
  if (recipe.weight.offset_dtype == OffsetFormat::kExact) {
    recipe.weight.offset_dtype = OffsetFormat::kWeight;
  }
  if (recipe.cast == CastPoint::kEveryOp) {
    recipe.statistic_rounding = StatisticRounding::kNone;
  }
  return recipe;
}

std::string parameters_text(const Recipe& recipe) {
  std::string text;
  for (const RecipeDifference& difference : differences(Recipe{}, recipe)) {
    text += difference.key + ' ' + difference.to + '\n';
  }
  return text;
}

std::size_t compare(const Tensor& expected, const Tensor& found) {
  EXPECT_EQ(*expected.format, *found.format);
  for (std::size_t row = 0; row < expected.rows; ++row) {
    for (std::size_t i = 0; i < expected.width; ++i) {
      const Code a = expected.at(row, i);
      const Code b = found.at(row, i);
      EXPECT_TRUE(same_bits(a, b))
          << "row " << row << ", element " << i << std::hex << ": " << a.bits << " and " << b.bits;
      if (testing::Test::HasFailure()) return 0;
    }
  }
  return expected.rows * expected.width;
}

TEST(VectorEvaluator, AgreesWithBinary64OnRandomRecipes) {
  RandomRecipes draw(20260909);
  std::size_t recipes = 0;
  std::size_t compared = 0;
  std::map<Association, std::size_t> associations;
  std::map<OrderKind, std::size_t> orders;
  for (std::uint64_t seed = 0; recipes < 3000; ++seed) {
    ASSERT_LT(seed, 100000U) << "hardly any recipe is one for vectors";
    const Recipe recipe = vector_recipe(draw);
    const auto dtype = [&draw] { return kDtypes[static_cast<std::size_t>(draw.number(0, 2))]; };
    const std::size_t rows = static_cast<std::size_t>(draw.number(1, 20));
    const std::size_t width = recipe.statistic.group
                                  ? 16 * static_cast<std::size_t>(draw.number(1, 5))
                                  : static_cast<std::size_t>(draw.number(16, 80));
    const std::string name = std::to_string(seed);
    const Tensor x = sample_rows(*dtype(), rows, width, "x" + name);
    // Of x's format mostly: only where inputs are converted may it have another.
    const FloatFormat& other = draw.number(0, 3) == 0 ? *dtype() : *x.format;
    const Tensor residual = sample_rows(other, rows, width, "residual" + name);
    const Tensor weight =
        sample_rows(*dtype(), draw.number(0, 3) == 0 ? 2 : 1, width, "weight" + name);
    BlockInput input{.x = x.view(),
                     .residual = {},
                     .weight = {},
                     .weight_offset = draw.number(0, 2) == 0 ? 0.2 : 1.0,
                     .epsilon = draw.number(0, 1) == 0 ? 1e-6 : 1e-5};
    if (draw.number(0, 1) == 1) input.residual = residual.view();
    if (draw.number(0, 3) != 0) input.weight = weight.view().rows_from(weight.rows - 1, 1);
    if (find_conflict(recipe) || !vectors_emulate(recipe, input)) continue;
    ++recipes;
    ++associations[recipe.association];
    ++orders[recipe.statistic.order.kind];
    SCOPED_TRACE(parameters_text(recipe));
    const EmulatedBlock expected = emulate_block(recipe, input, Evaluator::kHardware);
    for_each_target([&] {
      const EmulatedBlock found = emulate_block(recipe, input, Evaluator::kVectors);
      compared += compare(expected.y, found.y);
      if (input.residual) compared += compare(*expected.residual_out, *found.residual_out);
    });
    if (HasFailure()) break;
  }
  EXPECT_EQ(associations.size(), 7U);
  EXPECT_EQ(orders.size(), 8U);
  for (const auto& [order, count] : orders) EXPECT_GT(count, 100U) << static_cast<int>(order);
  EXPECT_GT(compared, simd_targets().size() * 1000000);
}

// Widths at which each order has all its parts more than once, rows that fill no vector.
TEST(VectorEvaluator, AgreesOnWideRows) {
  std::size_t compared = 0;
  for (const std::size_t width : {std::size_t{1000}, std::size_t{4096}, std::size_t{5121}}) {
    const Tensor x = sample_rows(kFp32, 18, width, "x");
    const Tensor weight = sample_rows(kFp32, 1, width, "weight");
    const BlockInput input{.x = x.view(),
                           .residual = {},
                           .weight = weight.view(),
                           .weight_offset = 0,
                           .epsilon = 1e-6};
    for (const SummationOrder& order : sample_orders()) {
      for (const Accumulation accumulate : {Accumulation::kBinary32, Accumulation::kKahan}) {
        Recipe recipe;
        recipe.statistic.order = order;
        recipe.statistic.accumulate = accumulate;
        if (find_conflict(recipe)) continue;
        SCOPED_TRACE(parameters_text(recipe) + std::to_string(width));
        ASSERT_EQ(fastest_evaluator(recipe, input), Evaluator::kVectors);
        const EmulatedBlock expected = emulate_block(recipe, input, Evaluator::kHardware);
        for_each_target([&] {
          compared += compare(expected.y, emulate_block(recipe, input, Evaluator::kVectors).y);
        });
      }
    }
  }
  EXPECT_GT(compared, simd_targets().size() * 2500000);
}

TEST(VectorEvaluator, TakesOnlyWhatItWasWrittenFor) {
  const Tensor x = sample_rows(kBf16, 1, 16, "x");
  const Tensor wide = sample_rows(kFp64, 1, 16, "x");
  const auto takes = [&x](auto change) {
    Recipe recipe;
    change(recipe);
    return vectors_emulate(
        recipe, {.x = x.view(), .residual = {}, .weight = {}, .weight_offset = 0, .epsilon = 0});
  };
  EXPECT_TRUE(takes([](Recipe&) {}));
  EXPECT_FALSE(takes([](Recipe& r) { r.compute = ComputeFormat::kBinary64; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.before = PreStep::kDivideByMax; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.gate = GateMode::kAfter; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.weight.bias = true; }));
  EXPECT_TRUE(takes([](Recipe& r) { r.contract = {Contraction::kMeanWithEpsilon}; }));
  EXPECT_TRUE(takes([](Recipe& r) { r.rsqrt_table = RsqrtTable::kSm90; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.flush = FlushMode::kInputs; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.rounding = StoreRounding::kTruncate; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.statistic.square = StepFormat::kBinary64; }));
  EXPECT_FALSE(takes([](Recipe& r) { r.statistic.kind = StatisticKind::kVariance; }));
  EXPECT_TRUE(takes([](Recipe& r) {
    r.statistic.order.kind = OrderKind::kLanes;
    r.statistic.order.fma = true;
  }));
  EXPECT_FALSE(vectors_emulate(
      Recipe{},
      {.x = wide.view(), .residual = {}, .weight = {}, .weight_offset = 0, .epsilon = 0}));
}

// Of recipes for each of the evaluators.
TEST(CountSameBits, CountsWhatEmulationGives) {
  std::vector<Recipe> recipes(4);
  recipes[1].statistic.order.kind = OrderKind::kTorchCascade;
  recipes[2].statistic.accumulate = Accumulation::kBinary64;
  recipes[3].flush = FlushMode::kInputs;
  const RandomStream random(1, "changes");
  for (const FloatFormat* format : kDtypes) {
    const Tensor x = sample_rows(*format, 18, 1100, "x");
    for (const Recipe& recipe : recipes) {
      const BlockInput input{
          .x = x.view(), .residual = {}, .weight = {}, .weight_offset = 0, .epsilon = 1e-6};
      if (fastest_evaluator(recipe, input) == Evaluator::kExact && !(*format == kBf16)) continue;
      Tensor got = emulate_block(recipe, input).y;
      std::vector<std::size_t> expected(got.rows, got.width);
      for (std::size_t row = 0; row < got.rows; ++row) {
        for (std::size_t i = random.bits(row) % 97; i < got.width; i += 97 + row) {
          const Code code = got.at(row, i);
          const Code changed{code.bits ^ (is_nan(code) ? format->nan_magnitude() : 1), format};
          got.set(row, i, changed);
          --expected[row];
        }
      }
      for_each_target(
          [&] { EXPECT_EQ(count_same_bits(recipe, input, got.view()), expected) << format->name; });
    }
  }
}

TEST(CountSameBits, RefusesOutputsOfAnotherFormatOrShape) {
  const Tensor x = sample_rows(kBf16, 2, 16, "x");
  const BlockInput input{
      .x = x.view(), .residual = {}, .weight = {}, .weight_offset = 0, .epsilon = 1e-6};
  const Tensor wide(kFp32, 2, 16);
  const Tensor few(kBf16, 1, 16);
  EXPECT_THROW((void)count_same_bits(Recipe{}, input, wide.view()), std::logic_error);
  EXPECT_THROW((void)count_same_bits(Recipe{}, input, few.view()), std::logic_error);
}

}  // namespace
}  // namespace normcert
