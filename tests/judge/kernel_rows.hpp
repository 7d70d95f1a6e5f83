// Rows as kernels compute them, for the tests of conformity: recipes, orders of the sum, and random
// cases whose weights are not powers of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/case.hpp"
#include "problem/recipe.hpp"

namespace normcert {

[[nodiscard]] Recipe base_recipe(CastPoint cast);

// Seven known orders of the sum.
[[nodiscard]] std::vector<SummationOrder> orders();

// Rows of several magnitudes (four, or the first of them), weights that are not powers of two.
[[nodiscard]] Case random_case(const FloatFormat& format, std::size_t width, std::uint64_t seed,
                               std::size_t rows = 4);
// With weights of this format, small where an offset of 1 is to be added to them.
[[nodiscard]] Case with_weights(Case value, const FloatFormat& format, int offset);

[[nodiscard]] TensorView outputs(const Recipe& recipe, const Case& value);

[[nodiscard]] int rows_that_conform(const Recipe& recipe, const Case& value, const TensorView& got);

}  // namespace normcert
