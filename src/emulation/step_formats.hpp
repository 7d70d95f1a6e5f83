// In which format each step of a recipe runs, once the formats of its inputs are known.
#pragma once

#include "numeric/float_format.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// The narrowest of fp64, fp32 and the two themselves that holds all numbers of both.
[[nodiscard]] const FloatFormat& promoted(const FloatFormat& a, const FloatFormat& b);

struct StepFormats {
  const FloatFormat* input;       // T: of x and residual, after conversion
  const FloatFormat* weight;      // W: of the weight, after conversion; T where there is none
  const FloatFormat* compute;     // C
  const FloatFormat* square;      // each square
  const FloatFormat* accumulate;  // partial sums; of an exact sum's one rounding
  const FloatFormat* mean;        // division or multiplication that makes the mean
  const FloatFormat* epsilon;     // the added constant
  const FloatFormat* root;        // square root and reciprocal
  const FloatFormat* cast;        // conversion before the weight; compute where there is none
  const FloatFormat* offset;      // offset + weight; unused where that is exact
  const FloatFormat* output;      // y
};

// `weight` is nullptr where there is no weight. Requires a recipe without conflict.
[[nodiscard]] StepFormats step_formats(const Recipe& recipe, const FloatFormat& x,
                                       const FloatFormat* weight);

}  // namespace normcert
