// Whether two recipes give the same bits on every input of one shape, as far as their parameters
// show it: each parameter in which they differ must be one that these formats and this width cannot
// make visible. No input is looked at, so what is shown holds for all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numeric/float_format.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// Inputs without a residual.
struct InputShape {
  const FloatFormat* x = nullptr;
  const FloatFormat* weight = nullptr;  // nullptr: none, the gain is 1
  double weight_offset = 0;             // the model's
  std::size_t width = 0;
};

// A parameter in which two recipes differ, and why no input shows it.
struct UnseenParameter {
  std::string key;     // "cast"
  std::string reason;  // "x*r is a fp32 number already"
};

// One for each parameter in which the recipes differ, none where they are the same: *proved*. No
// value: it could not be shown, which does not say that an input exists.
[[nodiscard]] std::optional<std::vector<UnseenParameter>> proved_equal(const Recipe& a,
                                                                       const Recipe& b,
                                                                       const InputShape& shape);

// Whether both recipes can be computed on rows of this width.
[[nodiscard]] bool both_fit(const Recipe& a, const Recipe& b, std::size_t width);

// Whether two orders add `count` terms by the same additions, up to exchanged operands and zeros:
// *exact*. `squares_are_exact`: a fused square is then as good as one that was rounded first.
[[nodiscard]] bool same_additions(const SummationOrder& a, const SummationOrder& b,
                                  std::size_t count, bool narrow_lanes, bool squares_are_exact);

}  // namespace normcert
