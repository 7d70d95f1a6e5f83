// Files that attack the fast comparison: all formats, every kind of row, weight, output and limit
// at which its screens, its searches for maxima or its integers could differ from the exact twin.
#pragma once

#include <cstdint>
#include <optional>

#include "judge/comparison.hpp"
#include "problem/case.hpp"

namespace normcert {

struct WildFile {
  Case value;  // in the output format that was asked for
  TensorView y;
  std::optional<TensorView> residual_out;  // where the case has a residual
  Criteria criteria;
  Tensor rounded;  // rounded_reference() of y
};

// A pure function of its arguments: one file can be made again without those before it.
[[nodiscard]] WildFile wild_file(std::uint64_t seed, const FloatFormat& output,
                                 std::uint64_t number);
// The same with a gate (judge/wild_gate.hpp).
[[nodiscard]] WildFile wild_gated_file(std::uint64_t seed, const FloatFormat& output,
                                       std::uint64_t number);

}  // namespace normcert
