// What a recipe makes of rows, bit for bit.
//
// Three evaluators that agree on every element: emulate_row is slow and plainly right (exact
// values, one rounding per step; about a microsecond per step and element), emulate_block uses the
// processor's binary64 for most recipes (some ten nanoseconds per element) and vectors of binary32
// for those that compute in it (below one). tests/emulation holds one against the other,
// tests/captures holds them against outputs of real frameworks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulation/activation_end.hpp"
#include "emulation/row_view.hpp"
#include "numeric/code.hpp"
#include "problem/case.hpp"
#include "problem/recipe.hpp"
#include "problem/tensor.hpp"

namespace normcert {

struct RowInput {
  RowView x{};
  std::optional<RowView> residual{};  // as wide as x
  std::optional<RowView> gate{};      // as wide as x; before its activation
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
  std::optional<TensorView> gate{};      // the same; before its activation
  std::optional<TensorView> weight{};    // one row as wide as x
  double weight_offset = 0;
  double epsilon = 0;
};

// What a recipe takes of a case.
[[nodiscard]] BlockInput block_input(const Case& value);

struct EmulatedBlock {
  Tensor y;
  std::optional<Tensor> residual_out;
};

// *Bit exact* for a recipe without conflict (problem/recipe.hpp). NaN results are the quiet NaN
// without payload, of either sign. Throws InputError where the recipe's group does not divide the
// width or its fraction of the width is no element, where it has a gate and the input none, and
// where the input has one that the recipe leaves out.
[[nodiscard]] EmulatedRow emulate_row(const Recipe& recipe, const RowInput& input);

enum class Evaluator : std::uint8_t {
  kExact,     // for every recipe
  kHardware,  // hardware_emulates(), where a residual has the format of x
  kVectors,   // vectors_emulate(): no gates among them
};

// The fastest for the recipe and the formats of the input.
[[nodiscard]] Evaluator fastest_evaluator(const Recipe& recipe, const BlockInput& input);

// The same bits, by the fastest evaluator. Throws std::logic_error where the processor's rounding
// mode or flushing is not the default one and it is not the exact one.
[[nodiscard]] EmulatedBlock emulate_block(const Recipe& recipe, const BlockInput& input);
// By this one, which must have the recipe.
[[nodiscard]] EmulatedBlock emulate_block(const Recipe& recipe, const BlockInput& input,
                                          Evaluator evaluator);

// For each row, how many elements of `got` have the bits that the recipe gives, as same_bits():
// *exact*, and with no more memory than a row. Requires `got` of x's shape and of the format that
// emulated_format() names; throws as emulate_block.
[[nodiscard]] std::vector<std::size_t> count_same_bits(const Recipe& recipe,
                                                       const BlockInput& input,
                                                       const TensorView& got);

// Of a recipe with a gate before the norm, the row whose squares it takes, as the activation's ends
// give it: one row of numbers of the compute format. Requires a gate and no groups.
[[nodiscard]] Tensor gated_row(const Recipe& recipe, const RowInput& input, ActivationEnd end);

// Whether HardwareMachine has the recipe: it runs on the processor's arithmetic: not for flushed
// subnormals, nor for an unrounded offset + weight other than 1 + weight.
[[nodiscard]] bool hardware_emulates(const Recipe& recipe);

// The format of y for inputs of these formats; `weight` is nullptr where there is none.
[[nodiscard]] const FloatFormat& emulated_format(const Recipe& recipe, const FloatFormat& x,
                                                 const FloatFormat* weight);

}  // namespace normcert
