// A gated norm: an activation of a tensor g beside x is one factor more for each element,
//   before:  z_i = a(g_i) (x_i + residual_i), and z is normalised;
//   after:   y_i = a(g_i) times the element of the norm.
#pragma once

#include <cstdint>

#include "numeric/activation.hpp"
#include "problem/tensor.hpp"

namespace normcert {

enum class GateMode : std::uint8_t { kNone, kBefore, kAfter };

struct Gate {
  TensorView values;  // g, of the shape of x; before its activation
  GateMode mode = GateMode::kAfter;
  Activation activation = Activation::kSilu;
};

}  // namespace normcert
