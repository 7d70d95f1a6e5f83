// The report of `normcert recipes` (reports/schema/recipes.schema.json) and its views.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "problem/recipe.hpp"
#include "report/envelope.hpp"
#include "report/views.hpp"

namespace normcert {

struct ShownRecipe {
  Recipe recipe;
  std::string json;  // its canonical form
};

struct CheckedRecipe {
  std::string file;
  std::string nearest;  // of the catalogue
  std::vector<RecipeDifference> differences;
};

struct RecipesReport {
  std::vector<ShownRecipe> recipes;
  bool shows_all = false;  // a list rather than the recipes themselves
  std::optional<CheckedRecipe> checked;
};

[[nodiscard]] nlohmann::ordered_json recipes_report_json(const Envelope& envelope,
                                                         const RecipesReport& report);

extern const ReportViews kRecipesViews;

}  // namespace normcert
