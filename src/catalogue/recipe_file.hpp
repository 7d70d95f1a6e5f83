// Recipes as JSON ("schema": "normcert/recipe/1"): keys and values are those of problem/recipe.hpp,
// nested where that nests ("statistic": {"kind": ...}). Strict: a key or value that is not known, a
// number out of its range, and parameters for which no evaluation is defined are located errors.
#pragma once

#include <filesystem>
#include <string>

#include "formats/json_text.hpp"
#include "problem/recipe.hpp"

namespace normcert {

inline constexpr std::string_view kRecipeSchema = "normcert/recipe/1";

// Throw InputError; the code "recipe_conflict" says that find_conflict() found one.
[[nodiscard]] Recipe read_recipe(const JsonDocument& document);
[[nodiscard]] Recipe read_recipe_file(const std::filesystem::path& path);

// The canonical form: every key, in a fixed order, two blanks of indentation, one order on one
// line, a line end behind. read_recipe() gives the same recipe back.
[[nodiscard]] std::string recipe_json(const Recipe& recipe);

}  // namespace normcert
