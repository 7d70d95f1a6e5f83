// The slow evaluator against the fast one: random recipes on rows that are hard on rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <stdexcept>

#include "emulation/emulate.hpp"
#include "emulation/number_samples.hpp"
#include "emulation/random_recipe.hpp"
#include "numeric/rounding.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 4> kDtypes = {&kBf16, &kFp16, &kFp32, &kFp64};

enum class RowKind : std::uint8_t { kOrdinary, kSmall, kLarge, kAnything, kZero };

Code element(RowKind kind, const FloatFormat& format, const RandomStream& random,
             std::uint64_t index) {
  switch (kind) {
    case RowKind::kOrdinary:
      return near_code(format, 0, random, index);
    case RowKind::kSmall:
      return near_code(format, std::max(format.emin + 13, -40), random, index);
    case RowKind::kLarge:
      return near_code(format, std::min(format.emax - 13, 60), random, index);
    case RowKind::kAnything:
      return any_code(format, random, index);
    case RowKind::kZero:
      break;
  }
  return zero_of(format, index % 3 == 0);
}

Tensor rows_of(const FloatFormat& format, std::size_t width, const std::vector<RowKind>& kinds,
               const std::string& stream, std::uint64_t seed) {
  const RandomStream random(seed, stream);
  Tensor rows(format, kinds.size(), width);
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      rows.set(row, i, element(kinds[row], format, random, row * width + i));
    }
  }
  return rows;
}

RowView row_of(const TensorView& tensor, std::size_t row) {
  return {tensor.format, tensor.row_bytes(row)};
}

struct Compared {
  std::size_t elements = 0;
  std::size_t finite = 0;
};

Compared compare_twins(const Recipe& recipe, const BlockInput& input) {
  const EmulatedBlock fast = emulate_block(recipe, input);
  Compared compared;
  for (std::size_t row = 0; row < input.x.rows; ++row) {
    RowInput one{.x = row_of(input.x, row),
                 .residual = {},
                 .gate = {},
                 .weight = {},
                 .weight_offset = input.weight_offset,
                 .epsilon = input.epsilon};
    if (input.residual) one.residual = row_of(*input.residual, row);
    if (input.gate) one.gate = row_of(*input.gate, row);
    if (input.weight) one.weight = row_of(*input.weight, 0);
    const EmulatedRow slow = emulate_row(recipe, one);
    for (std::size_t i = 0; i < input.x.width; ++i) {
      const Code a = slow.y[i];
      const Code b = fast.y.at(row, i);
      EXPECT_TRUE(same_bits(a, b))
          << "row " << row << ", element " << i << std::hex << ": " << a.bits << " and " << b.bits;
      if (input.residual) {
        EXPECT_TRUE(same_bits(slow.residual_out[i], fast.residual_out->at(row, i)));
      }
      ++compared.elements;
      compared.finite += is_finite(a) ? 1 : 0;
    }
  }
  return compared;
}

std::string parameters_text(const Recipe& recipe) {
  std::string text;
  for (const RecipeDifference& difference : differences(Recipe{}, recipe)) {
    text += difference.key + ' ' + difference.to + '\n';
  }
  return text;
}

// One draw: a recipe that has no conflict, formats, rows, weight and residual or not.
TEST(Twins, AgreeOnRandomRecipes) {
  RandomRecipes draw(20260906);
  const std::vector<RowKind> kinds = {RowKind::kOrdinary, RowKind::kSmall, RowKind::kLarge,
                                      RowKind::kAnything, RowKind::kZero};
  std::size_t recipes = 0;
  std::size_t in_hardware = 0;
  std::size_t gated = 0;
  Compared total;
  for (std::uint64_t seed = 0; recipes < 6000; ++seed) {
    ASSERT_LT(seed, 200000U) << "hardly any recipe is free of conflicts";
    const Recipe recipe = draw.next();
    if (find_conflict(recipe)) continue;
    ++recipes;
    in_hardware += hardware_emulates(recipe) ? 1 : 0;
    const std::size_t width =
        16 * static_cast<std::size_t>(draw.number(1, 3)) +
        (recipe.statistic.group ? 0 : static_cast<std::size_t>(draw.number(0, 15)));
    const FloatFormat& format = *kDtypes[static_cast<std::size_t>(draw.number(0, 3))];
    const FloatFormat& weight_format = *kDtypes[static_cast<std::size_t>(draw.number(0, 3))];
    const Tensor x = rows_of(format, width, kinds, "x", seed);
    const Tensor residual = rows_of(format, width, kinds, "residual", seed);
    const Tensor gate = rows_of(weight_format, width, kinds, "gate", seed);
    const Tensor weight = rows_of(weight_format, width, {RowKind::kOrdinary}, "weight", seed);
    BlockInput input{.x = x.view(),
                     .residual = {},
                     .gate = {},
                     .weight = {},
                     .weight_offset = draw.number(0, 2) == 0 ? 0.2 : 1.0,
                     .epsilon = draw.number(0, 1) == 0 ? 1e-6 : 1e-5};
    if (draw.number(0, 1) == 1) input.residual = residual.view();
    if (draw.number(0, 3) != 0) input.weight = weight.view();
    if (recipe.gate != GateMode::kNone) {
      input.gate = gate.view();
      ++gated;
    }
    SCOPED_TRACE(parameters_text(recipe));
    const Compared compared = compare_twins(recipe, input);
    total.elements += compared.elements;
    total.finite += compared.finite;
    if (testing::Test::HasFailure()) break;
  }
  // Neither flushing, nor overflow in binary16, nor NaN rows may have emptied the comparison.
  EXPECT_GT(in_hardware, recipes / 2);
  EXPECT_GT(gated, recipes / 20);
  EXPECT_GT(total.elements, std::size_t{600000});
  EXPECT_GT(total.finite, total.elements / 2);
}

// Widths at which every order has all its parts, in the formats that captures have.
TEST(Twins, AgreeOnWideRows) {
  const std::vector<RowKind> kinds = {RowKind::kOrdinary};
  for (const FloatFormat* format : kDtypes) {
    const Tensor x = rows_of(*format, 1003, kinds, "x", 1);
    const Tensor weight = rows_of(*format, 1003, kinds, "weight", 1);
    for (const OrderKind kind :
         {OrderKind::kSequential, OrderKind::kPairwise, OrderKind::kLanes, OrderKind::kTorchCascade,
          OrderKind::kBlockTree, OrderKind::kAny, OrderKind::kTorchCudaMean, OrderKind::kTriton}) {
      Recipe recipe;
      recipe.statistic.order.kind = kind;
      recipe.statistic.order.accumulators = 4;
      recipe.compute = ComputeFormat::kAtLeastFp32;
      SCOPED_TRACE(std::string(format->name) + ' ' + std::string(name_of(kind)));
      const Compared compared = compare_twins(recipe, {.x = x.view(),
                                                       .residual = {},
                                                       .weight = weight.view(),
                                                       .weight_offset = 0,
                                                       .epsilon = 1e-6});
      EXPECT_EQ(compared.finite, 1003U);
    }
  }
}

TEST(Twins, TheFastOneRefusesAnotherRoundingMode) {
  const Tensor x = rows_of(kFp32, 8, {RowKind::kOrdinary}, "x", 1);
  const BlockInput input{
      .x = x.view(), .residual = {}, .weight = {}, .weight_offset = 0, .epsilon = 1e-6};
  ASSERT_EQ(std::fesetround(FE_TOWARDZERO), 0);
  EXPECT_THROW((void)emulate_block(Recipe{}, input), std::logic_error);
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_NO_THROW((void)emulate_block(Recipe{}, input));
}

}  // namespace
}  // namespace normcert
