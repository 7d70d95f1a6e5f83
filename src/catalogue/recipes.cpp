#include "catalogue/recipes.hpp"

#include <algorithm>

#include "catalogue/embedded_data.hpp"
#include "catalogue/norm_classes.hpp"
#include "catalogue/recipe_file.hpp"
#include "formats/json_text.hpp"
#include "numeric/float_format.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

std::vector<Recipe> read_embedded() {
  std::vector<Recipe> recipes;
  for (const EmbeddedFile& file : embedded_recipes()) {
    const std::string name = "cases/recipes/" + std::string(file.name);
    recipes.push_back(read_recipe(JsonDocument::parse(name, std::string(file.content))));
  }
  std::sort(recipes.begin(), recipes.end(),
            [](const Recipe& a, const Recipe& b) { return a.name < b.name; });
  return recipes;
}

// Linear in time but for the last star, which is all that has to be tried again.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t behind_star = 0;  // how far the last star reaches
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind_star = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

InputError unknown(std::string_view name, const std::string& place, const std::string& expected) {
  const std::vector<std::string_view> names = recipe_names();
  return InputError({.code = "unknown_recipe",
                     .file = "",
                     .place = place,
                     .found = '"' + std::string(name) + '"',
                     .expected = expected,
                     .nearest = std::string(nearest_name(name, names))});
}

}  // namespace

std::span<const Recipe> catalogue_recipes() {
  static const std::vector<Recipe> kRecipes = read_embedded();
  return kRecipes;
}

const Recipe* find_recipe(std::string_view name) {
  const std::span<const Recipe> recipes = catalogue_recipes();
  const auto found = std::lower_bound(
      recipes.begin(), recipes.end(), name,
      [](const Recipe& recipe, std::string_view wanted) { return recipe.name < wanted; });
  return found != recipes.end() && found->name == name ? &*found : nullptr;
}

const Recipe& recipe_named(std::string_view name, const std::string& place) {
  if (const Recipe* recipe = find_recipe(name)) return *recipe;
  if (const NormClass* norm = find_norm_class(name)) return recipe_named(norm->recipe, place);
  throw unknown(name, place, "the name of a recipe (normcert recipes lists them)");
}

std::vector<std::string_view> recipe_names() {
  std::vector<std::string_view> names;
  for (const Recipe& recipe : catalogue_recipes()) names.emplace_back(recipe.name);
  return names;
}

std::vector<const Recipe*> recipes_matching(std::string_view pattern, const std::string& place) {
  if (pattern.find_first_of("*?") == std::string_view::npos) {
    return {&recipe_named(pattern, place)};
  }
  std::vector<const Recipe*> found;
  for (const Recipe& recipe : catalogue_recipes()) {
    if (matches(pattern, recipe.name)) found.push_back(&recipe);
  }
  if (found.empty()) {
    throw unknown(pattern, place, "a pattern that matches a recipe (normcert recipes lists them)");
  }
  return found;
}

}  // namespace normcert
