#include "judge/kernel_rows.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "emulation/emulate.hpp"
#include "judge/conformity.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

Recipe base_recipe(CastPoint cast) {
  Recipe recipe;
  recipe.name = "base";
  recipe.cast = cast;
  return recipe;
}

std::vector<SummationOrder> orders() {
  std::vector<SummationOrder> list(7);
  list[0].kind = OrderKind::kSequential;
  list[1].kind = OrderKind::kPairwise;
  list[2].kind = OrderKind::kLanes;
  list[2].lanes = 16;
  list[2].accumulators = 2;
  list[3].kind = OrderKind::kBlockTree;
  list[3].threads = 128;
  list[3].vector = 4;
  list[3].fma = true;
  list[4].kind = OrderKind::kTorchCascade;
  list[5].kind = OrderKind::kTorchCudaMean;
  list[6].kind = OrderKind::kTriton;
  list[6].vector = 4;
  list[6].fma = true;
  return list;
}

Case random_case(const FloatFormat& format, std::size_t width, std::uint64_t seed,
                 std::size_t rows) {
  const RandomStream random(seed, "conformity " + std::to_string(width));
  // Not 1: within the bound of a power of two r itself may be one, and then x r needs no rounding.
  constexpr double kMagnitudes[] = {0.8, 1.7, 40, 1.0 / 512};
  Case value;
  value.epsilon = read_epsilon("1e-5", "", "");
  value.output = &format;
  Tensor x(format, std::min(rows, std::size(kMagnitudes)), width);
  std::uint64_t index = 0;
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      x.set(row, i, round(dyadic_of(kMagnitudes[row] * random.normal(index++)), format));
    }
  }
  Tensor weight(format, 1, width);
  for (std::size_t i = 0; i < width; ++i) {
    weight.set(0, i, round(dyadic_of(1.15 + 0.25 * random.uniform(index++)), format));
  }
  value.x = std::move(x).share();
  value.weight = std::move(weight).share();
  return value;
}

Case with_weights(Case value, const FloatFormat& format, int offset) {
  const std::size_t width = value.x.width;
  const RandomStream random(width, "weights");
  Tensor weight(format, 1, width);
  for (std::size_t i = 0; i < width; ++i) {
    weight.set(0, i, round(dyadic_of(1.15 - offset + 0.25 * random.uniform(i)), format));
  }
  value.weight = std::move(weight).share();
  value.weight_offset = {std::to_string(offset), static_cast<double>(offset)};
  return value;
}

TensorView outputs(const Recipe& recipe, const Case& value) {
  EmulatedBlock block = emulate_block(recipe, {.x = value.x,
                                               .residual = value.residual,
                                               .weight = value.weight,
                                               .weight_offset = value.weight_offset.binary64,
                                               .epsilon = value.epsilon.binary64});
  return std::move(block.y).share();
}

int rows_that_conform(const Recipe& recipe, const Case& value, const TensorView& got) {
  int rows = 0;
  for (std::size_t row = 0; row < value.x.rows; ++row) {
    if (row_conforms(recipe, value, row, got) == Tristate::kSame) ++rows;
  }
  return rows;
}

}  // namespace normcert
