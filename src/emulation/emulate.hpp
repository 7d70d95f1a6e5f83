// What a recipe makes of rows, bit for bit.
//
// Two evaluators that agree on every element: emulate_row is slow and plainly right (exact values,
// one rounding per step; about a microsecond per step and element), emulate_block uses the
// processor's binary32 and binary64. tests/emulation holds one against the other, tests/captures
// holds both against outputs of real frameworks.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "emulation/row_view.hpp"
#include "numeric/code.hpp"
#include "problem/recipe.hpp"
#include "problem/tensor.hpp"

namespace normcert {

struct RowInput {
  RowView x{};
  std::optional<RowView> residual{};  // as wide as x
  std::optional<RowView> weight{};    // as wide as x; none: the gain is 1 in every recipe
  double weight_offset = 0;           // the model's; used by recipes whose weight form is offset+w
  double epsilon = 0;                 // declared, as binary64
};

struct EmulatedRow {
  std::vector<Code> y;
  std::vector<Code> residual_out;  // empty without a residual
  std::vector<Code> scalars;       // per group: r, or rms where the tail divides
};

// All rows of a tensor, or of a block of it.
struct BlockInput {
  TensorView x{};
  std::optional<TensorView> residual{};  // shape and width of x
  std::optional<TensorView> weight{};    // one row as wide as x
  double weight_offset = 0;
  double epsilon = 0;
};

struct EmulatedBlock {
  Tensor y;
  std::optional<Tensor> residual_out;
};

// *Bit exact* for a recipe without conflict (problem/recipe.hpp). NaN results are the quiet NaN
// without payload, of either sign. Throws InputError where the recipe's group does not divide the
// width or its fraction of the width is no element.
[[nodiscard]] EmulatedRow emulate_row(const Recipe& recipe, const RowInput& input);

// The same bits. Recipes for which hardware_emulates() says no take the slow evaluator. Throws
// std::logic_error where the processor's rounding mode or flushing is not the default one.
[[nodiscard]] EmulatedBlock emulate_block(const Recipe& recipe, const BlockInput& input);

// Whether emulate_block runs on the processor's arithmetic: not for flushed subnormals, nor for an
// unrounded offset + weight other than 1 + weight.
[[nodiscard]] bool hardware_emulates(const Recipe& recipe);

// The format of y for inputs of these formats; `weight` is nullptr where there is none.
[[nodiscard]] const FloatFormat& emulated_format(const Recipe& recipe, const FloatFormat& x,
                                                 const FloatFormat* weight);

}  // namespace normcert
