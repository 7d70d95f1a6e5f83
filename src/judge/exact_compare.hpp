// The slow twin of the comparison: every element against its exact result, every question decided
// by integers. The arbiter of any faster path.
#pragma once

#include <cstddef>
#include <functional>

#include "judge/comparison.hpp"
#include "numeric/rounding.hpp"
#include "problem/case.hpp"
#include "problem/tensor.hpp"
#include "reference/exact_row.hpp"

namespace normcert {

enum class OutputTensor : std::uint8_t { kY, kResidualOut };

// The exact result that a tensor is judged against: y of a row, or for residual_out the sum
// x + residual (numerics 1: z exactly), which no gate has a part in.
[[nodiscard]] RootOfRatio exact_output(const ExactRow& row, OutputTensor tensor, std::size_t index);

// Compares rows first .. first + count - 1 of `got` (same rows and width as the case).
[[nodiscard]] Comparison compare_exactly(const Case& value, OutputTensor tensor,
                                         const TensorView& got, const Criteria& criteria,
                                         std::size_t first, std::size_t count);

// Whether all inputs of a row (x, residual, gate) are finite.
[[nodiscard]] bool row_is_finite(const Case& value, std::size_t row);

// The correctly rounded outputs of a whole case, in its output format: the built-in recipe
// "reference.rounded". Rows with a non-finite input give NaN.
[[nodiscard]] Tensor rounded_reference(const Case& value, OutputTensor tensor);

}  // namespace normcert
