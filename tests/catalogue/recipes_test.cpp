// The catalogue: what it holds and how its entries are found.
#include "catalogue/recipes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
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
  for (const char* name : {"candle.cpu",
                           "deepspeed.inference",
                           "exllamav3.gated.after",
                           "exllamav3.gated.before",
                           "fla.gated",
                           "fla.gated.sigmoid",
                           "flashinfer.fused_add",
                           "flashinfer.fused_add.sm_90",
                           "flashinfer.rmsnorm",
                           "flashinfer.rmsnorm.sm_90",
                           "flax.rmsnorm",
                           "gemma_cpp",
                           "ggml.cpu",
                           "hf.axk2_gated",
                           "hf.axk2_gated.sm_90",
                           "hf.cohere_ln",
                           "hf.cohere_ln.sm_90",
                           "hf.deepseek_v4_unweighted",
                           "hf.falcon_h1_gated",
                           "hf.falcon_h1_gated.before",
                           "hf.falcon_h1_gated.before.sm_90",
                           "hf.falcon_h1_gated.sm_90",
                           "hf.gemma",
                           "hf.gemma.sm_90",
                           "hf.gemma3n.v4",
                           "hf.gemma3n_rescale",
                           "hf.llama",
                           "hf.llama.sm_90",
                           "hf.mamba2_gated",
                           "hf.mamba2_gated.sm_90",
                           "hf.nemotron_ln1p",
                           "hf.olmo2",
                           "hf.olmo2.sm_90",
                           "hf.qwen3_next_gated",
                           "hf.qwen3_next_gated.sm_90",
                           "hf.t5",
                           "hf.t5.sm_90",
                           "hf.weightless",
                           "hf.weightless.sm_90",
                           "hf.zaya_qk",
                           "liger.gemma.sm_90",
                           "liger.llama.sm_90",
                           "liger.none.sm_90",
                           "llama2c",
                           "mamba.gated.after",
                           "mamba.gated.before",
                           "naive.bf16",
                           "naive.div.cpu",
                           "naive.div.cuda",
                           "naive.div.cuda_order",
                           "naive.fp16",
                           "naive.fp64",
                           "naive.kahan_fp32",
                           "naive.rsqrt.cpu",
                           "naive.rsqrt.cuda",
                           "naive.rsqrt.sm_90",
                           "naive.sequential_fp32",
                           "onednn",
                           "onnx.reference.fp16",
                           "onnx.spec",
                           "ort.cpu.fp16",
                           "ort.cpu.fp32",
                           "ort.cpu.skip",
                           "sglang.jit_fused_add",
                           "textbook.fp32",
                           "textbook.fp32.sm_90",
                           "torch.compile.cpu.16bit",
                           "torch.compile.cpu.fp32",
                           "torch.compile.cuda.sm_90",
                           "torch.rms_norm.2_5_2_6",
                           "torch.rms_norm.2_7plus_composite",
                           "torch.rms_norm.cuda_fused.sm_90",
                           "vllm.fused_add_rms_norm.cuda",
                           "vllm.fused_add_rms_norm.cuda.sm_90",
                           "vllm.gated.after",
                           "vllm.gated.before",
                           "vllm.rms_norm.cuda.post",
                           "vllm.rms_norm.cuda.pre",
                           "vllm.rms_norm.cuda.pre.sm_90",
                           "vllm.rms_norm.native",
                           "wrong.epsilon_after_rsqrt",
                           "wrong.epsilon_after_rsqrt.sm_90",
                           "wrong.epsilon_outside",
                           "wrong.epsilon_outside.cuda",
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

// A recipe of a device computes what its namesake without one does, but for what the device adds.
TEST(Catalogue, RecipesOfADeviceDifferInWhatADeviceDecides) {
  constexpr std::string_view kSuffix = ".sm_90";
  const std::set<std::string> decided = {"statistic.order", "statistic.mean", "root.kind",
                                         "rsqrt_table", "activation.exponential"};
  std::size_t pairs = 0;
  for (const Recipe& recipe : catalogue_recipes()) {
    if (!recipe.name.ends_with(kSuffix)) continue;
    EXPECT_EQ(recipe.rsqrt_table, RsqrtTable::kSm90) << recipe.name;
    const Recipe* plain = find_recipe(recipe.name.substr(0, recipe.name.size() - kSuffix.size()));
    if (plain == nullptr) continue;
    for (const RecipeDifference& difference : differences(*plain, recipe)) {
      EXPECT_TRUE(decided.contains(difference.key)) << recipe.name << ' ' << difference.key;
    }
    ++pairs;
  }
  EXPECT_GE(pairs, 17U);
}

TEST(Catalogue, NoTwoRecipesHaveOneName) {
  const std::vector<std::string_view> names = recipe_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Catalogue, Patterns) {
  EXPECT_EQ(names_matching("hf.llama"), std::vector<std::string>{"hf.llama"});
  EXPECT_EQ(names_matching("hf.*5*"), (std::vector<std::string>{"hf.t5", "hf.t5.sm_90"}));
  EXPECT_EQ(names_matching("naive.*.cpu"),
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
