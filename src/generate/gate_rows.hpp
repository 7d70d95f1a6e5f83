// The gate of generated cases of gated norms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "problem/tensor.hpp"

namespace normcert {

// 2.5 N(0,1), each element rounded once: activations from nearly 0 to about 10, of both signs of
// silu. Element 1 of each row is +0, where a row has one. Rows of different `name` are independent.
[[nodiscard]] TensorView gate_rows(std::uint64_t seed, const std::string& name, std::size_t rows,
                                   std::size_t width, const FloatFormat& format);

}  // namespace normcert
