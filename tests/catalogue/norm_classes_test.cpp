#include "catalogue/norm_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "catalogue/recipes.hpp"

namespace normcert {
namespace {

TEST(NormClasses, NameRecipesOfTheCatalogue) {
  ASSERT_FALSE(norm_classes().empty());
  EXPECT_TRUE(std::ranges::is_sorted(norm_classes(), {}, &NormClass::name));
  for (const NormClass& norm : norm_classes()) {
    EXPECT_NE(find_recipe(norm.recipe), nullptr) << norm.name << ' ' << norm.recipe;
    EXPECT_EQ(find_recipe(norm.name), nullptr) << norm.name;
  }
}

TEST(NormClasses, AreFoundWithAndWithoutTheFolderOfTheirModel) {
  std::set<std::string> short_names;
  for (const NormClass& norm : norm_classes()) {
    EXPECT_EQ(find_norm_class(norm.name), &norm);
    const std::string short_name = norm.name.substr(norm.name.find('/') + 1);
    EXPECT_TRUE(short_names.insert(short_name).second) << short_name;
    EXPECT_EQ(find_norm_class(short_name), &norm);
  }
  EXPECT_EQ(find_norm_class("llama/LlamaRMSNorm")->recipe, "hf.llama");
  EXPECT_EQ(find_norm_class("LlamaRMSNor"), nullptr);
  EXPECT_EQ(find_norm_class("qwen3/LlamaRMSNorm"), nullptr);
  EXPECT_EQ(find_norm_class(""), nullptr);
}

TEST(NormClasses, StandForTheirRecipes) {
  EXPECT_EQ(recipe_named("Qwen3NextRMSNormGated", "--source").name, "hf.qwen3_next_gated");
  EXPECT_EQ(recipe_named("gemma3n/Gemma3nRMSNorm", "--source").name, "hf.olmo2");
  EXPECT_EQ(recipes_matching("CohereLayerNorm", "NAME").at(0)->name, "hf.cohere_ln");
}

// LayerNorms and an L2 norm are named, and their recipes say that they are none.
TEST(NormClasses, ThatAreNoRmsNormsHaveRecipesThatSaySo) {
  std::size_t centred = 0;
  for (const NormClass& norm : norm_classes()) {
    const Recipe& recipe = *find_recipe(norm.recipe);
    if (recipe.statistic.kind != StatisticKind::kVariance) continue;
    ++centred;
    EXPECT_NE(recipe.note.find("no RMSNorm"), std::string::npos) << recipe.name;
  }
  EXPECT_EQ(centred, 6U);
}

}  // namespace
}  // namespace normcert
