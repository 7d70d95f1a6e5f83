// Which hypothesis a recipe is, on the formats of a norm.
#pragma once

#include <optional>

#include "inference/elimination.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// The order of the sum, the association, the kind of the root and what else moves the scalar
// within its freedom are no part of it. Nothing where the recipe writes another format, or is no
// hypothesis here: gates, partial statistics, the variance of a sum that is not rounded, groups of
// inputs that are converted to a narrower format, other statistics than the mean square where
// something on the way to them is rounded to one.
[[nodiscard]] std::optional<Hypothesis> hypothesis_of_recipe(const Recipe& recipe,
                                                             const ObservedNorm& norm);

}  // namespace normcert
