// The catalogue: what it holds and how its entries are found.
#include "catalogue/recipes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalogue/embedded_data.hpp"
#include "catalogue/recipe_file.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

std::vector<std::string> names_matching(const std::string& pattern) {
  std::vector<std::string> names;
  for (const Recipe* recipe : recipes_matching(pattern, "--candidate")) {
    names.push_back(recipe->name);
  }
  return names;
}

TEST(Catalogue, HoldsTheseRecipes) {
  for (const char* name : {"hf.llama",
                           "hf.gemma",
                           "hf.olmo2",
                           "hf.t5",
                           "hf.weightless",
                           "torch.rms_norm.2_7plus_composite",
                           "flashinfer.rmsnorm",
                           "flashinfer.fused_add",
                           "vllm.rms_norm.cuda.pre",
                           "vllm.fused_add_rms_norm.cuda",
                           "textbook.fp32",
                           "naive.rsqrt.cpu",
                           "naive.rsqrt.cuda",
                           "naive.div.cpu",
                           "naive.div.cuda",
                           "naive.fp16",
                           "naive.bf16",
                           "naive.fp64",
                           "naive.sequential_fp32",
                           "naive.kahan_fp32",
                           "wrong.epsilon_outside",
                           "wrong.epsilon_after_rsqrt",
                           "wrong.no_epsilon"}) {
    const Recipe* recipe = find_recipe(name);
    ASSERT_NE(recipe, nullptr) << name;
    EXPECT_EQ(recipe->name, name);
  }
  EXPECT_EQ(find_recipe("hf.lama"), nullptr);
  EXPECT_EQ(find_recipe(kReferenceRounded), nullptr);
}

TEST(Catalogue, FilesAreNamedAfterTheirRecipes) {
  EXPECT_EQ(embedded_recipes().size(), catalogue_recipes().size());
  for (const EmbeddedFile& file : embedded_recipes()) {
    const Recipe recipe =
        read_recipe(JsonDocument::parse(std::string(file.name), std::string(file.content)));
    EXPECT_EQ(recipe.name + ".json", file.name);
  }
}

TEST(Catalogue, EveryRecipeSaysWhatItIsAndWhatConfirmsIt) {
  for (const Recipe& recipe : catalogue_recipes()) {
    EXPECT_FALSE(recipe.note.empty()) << recipe.name;
    EXPECT_FALSE(recipe.source.empty()) << recipe.name;
    EXPECT_FALSE(recipe.confirmed_by.empty() && recipe.would_confirm.empty()) << recipe.name;
  }
}

TEST(Catalogue, NoTwoRecipesHaveOneName) {
  const std::vector<std::string_view> names = recipe_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Catalogue, Patterns) {
  EXPECT_EQ(names_matching("hf.llama"), std::vector<std::string>{"hf.llama"});
  EXPECT_EQ(names_matching("hf.*"), (std::vector<std::string>{"hf.gemma", "hf.llama", "hf.olmo2",
                                                              "hf.t5", "hf.weightless"}));
  EXPECT_EQ(names_matching("*.cpu"),
            (std::vector<std::string>{"naive.div.cpu", "naive.rsqrt.cpu"}));
  EXPECT_EQ(names_matching("hf.t?"), std::vector<std::string>{"hf.t5"});
  EXPECT_EQ(names_matching("*rms*pre"), std::vector<std::string>{"vllm.rms_norm.cuda.pre"});
  EXPECT_EQ(names_matching("*").size(), catalogue_recipes().size());
  EXPECT_EQ(names_matching("naive.?p*"), (std::vector<std::string>{"naive.fp16", "naive.fp64"}));
}

TEST(Catalogue, UnknownNamesAreErrorsWithTheNearest) {
  try {
    (void)recipe_named("hf.lama", "--candidate");
    FAIL() << "found";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--candidate: found \"hf.lama\", expected the name of a recipe (normcert recipes "
                 "lists them) (did you mean \"hf.llama\"?)");
    EXPECT_EQ(error.parts().code, "unknown_recipe");
  }
  EXPECT_THROW((void)recipes_matching("hf.lama", "--candidate"), InputError);
  EXPECT_THROW((void)recipes_matching("hf.lama*", "--candidate"), InputError);
  EXPECT_THROW((void)recipes_matching("", "--candidate"), InputError);
}

// From one recipe to another, one parameter at a time.
TEST(Catalogue, DifferencesLeadFromOneRecipeToAnother) {
  const Recipe& from = *find_recipe("hf.llama");
  const Recipe& to = *find_recipe("hf.gemma");
  const std::vector<RecipeDifference> steps = differences(from, to);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].key, "cast");
  EXPECT_EQ(steps[0].from, "\"before_weight\"");
  EXPECT_EQ(steps[0].to, "\"after_weight\"");
  EXPECT_EQ(steps[1].key, "weight.form");
  EXPECT_EQ(steps[2].key, "output");
  Recipe current = from;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    current = with_parameter(current, to, steps[i].key);
    EXPECT_EQ(differences(current, to).size(), steps.size() - 1 - i);
  }
  EXPECT_EQ(current.name, "hf.llama");
}

}  // namespace
}  // namespace normcert
