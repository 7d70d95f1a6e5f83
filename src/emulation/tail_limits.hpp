// Why no value of a row's scalar explains the row (emulation/tail_fit.hpp): every element allows an
// interval of scalars, and where those of all elements have nothing in common, already two of them
// have nothing in common, or one has nothing in common with what is allowed at all.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "emulation/emulate.hpp"

namespace normcert {

// Binary32 numbers from least to greatest, both among them.
struct ScalarRange {
  float least = 0;
  float greatest = 0;
};

struct ElementLimits {
  std::size_t index = 0;
  std::optional<ScalarRange> scalars;  // that give its output; none: no positive scalar does
};

// Of a row that fit_tail() refutes, with the same arguments: two elements of which the first needs
// a greater scalar than the second allows; or one whose scalars all lie outside low .. high, or
// that has none. Exact. Nothing where NaN or a change of sign on the way leaves no order.
[[nodiscard]] std::vector<ElementLimits> contradicting_elements(const Recipe& recipe,
                                                                const RowInput& input,
                                                                const RowView& got, float low,
                                                                float high);

}  // namespace normcert
