#include "cli/recipes_command.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "catalogue/recipe_file.hpp"
#include "catalogue/recipes.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "formats/json_text.hpp"
#include "formats/sha256.hpp"
#include "report/recipes_report.hpp"

namespace normcert {
namespace {

// The recipe of the catalogue that differs in the fewest parameters; among equals the one of the
// same name, else the first.
const Recipe& nearest_recipe(const Recipe& recipe) {
  const Recipe* nearest = nullptr;
  std::size_t fewest = 0;
  for (const Recipe& other : catalogue_recipes()) {
    const std::size_t count = differences(other, recipe).size();
    const bool as_near_and_namesake = count == fewest && other.name == recipe.name;
    if (nearest == nullptr || count < fewest || as_near_and_namesake) {
      nearest = &other;
      fewest = count;
    }
  }
  return *nearest;
}

class RecipesCommand : public Command {
 public:
  void declare(OptionList& options) override {
    options.add_positionals("NAME", "recipes to show: a name, or a pattern with * and ?", names_);
    options.add("--check", "FILE", "a recipe file to read and compare with the catalogue", check_);
  }

  void read_values(const SharedOptions&) override {
    if (check_ && !names_.empty()) {
      throw value_error("--check", *check_, "no NAME beside --check");
    }
    for (const std::string& name : names_) {
      for (const Recipe* recipe : recipes_matching(name, "NAME")) add(*recipe);
    }
    report_.shows_all = names_.empty();
    if (report_.shows_all && !check_) {
      for (const Recipe& recipe : catalogue_recipes()) add(recipe);
    }
  }

  int run(const Invocation& invocation) override {
    Envelope envelope;
    envelope.kind = "recipes";
    envelope.rerun = invocation.rerun;
    envelope.reproducible = invocation.shared.reproducible;
    if (check_) {
      const JsonDocument document = JsonDocument::read(*check_);
      const Recipe recipe = read_recipe(document);
      envelope.inputs.push_back({*check_, sha256_hex(document.text()), "file"});
      add(recipe);
      report_.shows_all = false;
      const Recipe& nearest = nearest_recipe(recipe);
      report_.checked = CheckedRecipe{*check_, nearest.name, differences(nearest, recipe)};
    }
    return finish(invocation, recipes_report_json(envelope, report_), kRecipesViews);
  }

 private:
  // Each once, although two patterns may match it.
  void add(const Recipe& recipe) {
    for (const ShownRecipe& shown : report_.recipes) {
      if (shown.recipe.name == recipe.name) return;
    }
    report_.recipes.push_back({recipe, recipe_json(recipe)});
  }

  std::vector<std::string> names_;
  std::optional<std::string> check_;
  RecipesReport report_;
};

}  // namespace

const CommandDescription kRecipesCommand = {
    .name = "recipes",
    .what_for = "the name of a framework or kernel, or a recipe file",
    .synopsis = "recipes [NAME...] [--check FILE]",
    .summary =
        "Recipes say how frameworks and kernels compute RMSNorm, down to each rounding. Without "
        "NAME\n"
        "they are listed; NAME prints one as JSON, fit for a file that --candidate takes; the name "
        "of\n"
        "a norm class of transformers stands for the recipe that it computes. --check\n"
        "reads such a file and names the parameters in which it differs from the nearest recipe "
        "of\n"
        "the catalogue.",
    .examples =
        "normcert recipes\n"
        "normcert recipes hf.llama > mine.json\n"
        "normcert recipes Qwen3NextRMSNormGated\n"
        "normcert recipes --check mine.json\n"
        "normcert recipes 'hf.*' --format json",
    .statuses = "0  the recipes were printed, the file is in order",
    .create = [] { return std::unique_ptr<Command>(std::make_unique<RecipesCommand>()); }};

}  // namespace normcert
