// The catalogue: recipes of real frameworks, and of the mistakes that ports make, in the order of
// their names. Embedded from cases/recipes/*.json, read on first use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/recipe.hpp"

namespace normcert {

[[nodiscard]] std::span<const Recipe> catalogue_recipes();

// The recipe of that exact name, or nullptr (for kReferenceRounded too, which is none).
[[nodiscard]] const Recipe* find_recipe(std::string_view name);

// The same, or that of the norm class of this name (catalogue/norm_classes.hpp); throws InputError
// with the nearest name, `place` says where the name stands ("--candidate").
[[nodiscard]] const Recipe& recipe_named(std::string_view name, const std::string& place);

[[nodiscard]] std::vector<std::string_view> recipe_names();

// Recipes whose names a pattern matches, * standing for any text and ? for one character; a
// pattern without either is a name. Throws InputError where there is none.
[[nodiscard]] std::vector<const Recipe*> recipes_matching(std::string_view pattern,
                                                          const std::string& place);

}  // namespace normcert
