// Which recipes VectorEvaluator (emulation/vector_evaluator.hpp) has, and in which format each of
// their steps on whole rows runs.
#pragma once

#include <optional>

#include "emulation/emulate.hpp"
#include "emulation/float_rows.hpp"

namespace normcert {

struct VectorFormats {
  FloatStorage x;         // as given
  FloatStorage residual;  // as given; of x where there is none
  FloatStorage input;     // T
  FloatStorage sum;       // of x + residual
  FloatStorage square;    // of each square
  FloatStorage between;   // of the tail's first operation, where there are two
  FloatStorage result;    // of its last one
  FloatStorage output;    // of y
};

// Whether VectorEvaluator has the recipe for inputs of these formats. No for whatever it was not
// written for, such as members and values that recipes may get one day.
[[nodiscard]] bool vectors_emulate(const Recipe& recipe, const BlockInput& input);

// None where a step runs in a format that is no part of binary32. Requires a recipe without
// conflict.
[[nodiscard]] std::optional<VectorFormats> vector_formats(const Recipe& recipe,
                                                          const BlockInput& input);

}  // namespace normcert
