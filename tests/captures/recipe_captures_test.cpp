// The catalogue against outputs of real frameworks (tests/data/captures/README.md), element by
// element, by all evaluators and under every target of the vectors.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "captures/shipped_captures.hpp"
#include "catalogue/recipes.hpp"
#include "emulation/each_target.hpp"
#include "emulation/emulate.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

std::set<Element> differing_elements(const Tensor& emulated, const TensorView& captured) {
  EXPECT_EQ(*emulated.format, *captured.format);
  EXPECT_EQ(emulated.rows, captured.rows);
  EXPECT_EQ(emulated.width, captured.width);
  std::set<Element> differing;
  for (std::size_t row = 0; row < captured.rows; ++row) {
    for (std::size_t i = 0; i < captured.width; ++i) {
      if (!same_bits(emulated.at(row, i), captured.at(row, i))) differing.insert({row, i});
    }
  }
  return differing;
}

TEST(RecipeCaptures, EveryElementIsReproducedButThoseListed) {
  std::size_t elements = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    SCOPED_TRACE(claim.capture + " by " + claim.recipe);
    const Recipe* recipe = find_recipe(claim.recipe);
    ASSERT_NE(recipe, nullptr);
    const Capture capture = for_recipe(read_capture(claim.capture), *recipe);
    for_each_target([&] {
      const EmulatedBlock block = emulate_block(*recipe, capture.input);
      EXPECT_EQ(differing_elements(block.y, capture.y), claim.differing);
      if (capture.residual_out) {
        EXPECT_TRUE(differing_elements(*block.residual_out, *capture.residual_out).empty());
      }
      elements += capture.y.size();
    });
  }
  EXPECT_GE(elements, simd_targets().size() * 200000U);
}

// What the catalogue says of itself is held to the list.
TEST(RecipeCaptures, CpuCapturesHaveNoDifferences) {
  std::size_t on_the_cpu = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    if (!claim.implementation.ends_with(".cpu")) continue;
    EXPECT_TRUE(claim.differing.empty()) << claim.capture;
    ++on_the_cpu;
  }
  EXPECT_GE(on_the_cpu, 40U);
}

bool is_of_a_device(const Recipe& recipe) {
  const OrderKind order = recipe.statistic.order.kind;
  return recipe.rsqrt_table.has_value() || order == OrderKind::kTorchCudaMean;
}

// Where the order of the sum and the device's rsqrt are known, a GPU holds no secrets: binary32
// included.
TEST(RecipeCaptures, RecipesOfADeviceHaveNoDifferences) {
  std::size_t claims_in_binary32 = 0;
  std::set<std::string> recipes;
  for (const RecipeClaim& claim : recipe_claims()) {
    if (!is_of_a_device(*find_recipe(claim.recipe))) continue;
    EXPECT_TRUE(made_on_a_gpu(claim)) << claim.implementation;
    EXPECT_TRUE(claim.differing.empty()) << claim.capture << " by " << claim.recipe;
    claims_in_binary32 += claim.capture.starts_with("fp32") ? 1 : 0;
    recipes.insert(claim.recipe);
  }
  EXPECT_GE(claims_in_binary32, 24U);
  EXPECT_GE(recipes.size(), 15U);
}

TEST(RecipeCaptures, TheSlowEvaluatorGivesTheSame) {
  std::size_t elements = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    if (claim.capture.find("n64") == std::string::npos) continue;
    SCOPED_TRACE(claim.capture + " by " + claim.recipe);
    const Recipe& recipe = *find_recipe(claim.recipe);
    const Capture capture = for_recipe(read_capture(claim.capture), recipe);
    for (std::size_t row = 0; row < capture.y.rows; ++row) {
      RowInput input{.x = {capture.input.x.format, capture.input.x.row_bytes(row)},
                     .weight_offset = capture.input.weight_offset,
                     .epsilon = capture.input.epsilon};
      if (capture.input.weight) {
        input.weight = RowView{capture.input.weight->format, capture.input.weight->row_bytes(0)};
      }
      if (capture.input.residual) {
        input.residual =
            RowView{capture.input.residual->format, capture.input.residual->row_bytes(row)};
      }
      if (capture.input.gate) {
        input.gate = RowView{capture.input.gate->format, capture.input.gate->row_bytes(row)};
      }
      const EmulatedRow emulated = emulate_row(recipe, input);
      for (std::size_t i = 0; i < emulated.y.size(); ++i) {
        EXPECT_TRUE(same_bits(emulated.y[i], capture.y.at(row, i))) << row << ", " << i;
        ++elements;
      }
    }
  }
  EXPECT_GE(elements, 50000U);
}

// Division instead of rsqrt leaves nothing unknown on the GPU but the order of the sum: vectors of
// four in one warp, a sum for each place, or single elements where the row is short.
TEST(RecipeCaptures, TheOrderOfPyTorchsMeanOnAGpu) {
  Recipe recipe = *find_recipe("naive.div.cuda");
  recipe.statistic.order.kind = OrderKind::kBlockTree;
  recipe.statistic.order.threads = 32;
  recipe.statistic.order.warp = WarpReduction::kDown;
  const auto differences_in = [&recipe](const std::string& name) {
    const Capture capture = read_capture(name);
    return differing_elements(emulate_block(recipe, capture.input).y, capture.y).size();
  };
  EXPECT_EQ(differences_in("fp32-n64/formula.naive_lowp_div.cuda"), 0U);
  EXPECT_GT(differences_in("fp32-n1000/formula.naive_lowp_div.cuda"), 0U);
  recipe.statistic.order.vector = 4;
  recipe.statistic.order.per_element = true;
  EXPECT_EQ(differences_in("fp32-n1000/formula.naive_lowp_div.cuda"), 0U);
}

// A recipe that fits a capture must not fit by accident: neighbours of it do not.
TEST(RecipeCaptures, ChangedRecipesDoNotFit) {
  const Capture capture = read_capture("bf16-n64/hf.LlamaRMSNorm.cpu");
  const auto share = [&capture](const Recipe& recipe) {
    const std::size_t differing =
        differing_elements(emulate_block(recipe, capture.input).y, capture.y).size();
    return static_cast<double>(differing) / static_cast<double>(capture.y.size());
  };
  const Recipe& llama = *find_recipe("hf.llama");
  EXPECT_EQ(share(llama), 0);
  Recipe changed = llama;
  changed.cast = CastPoint::kAfterWeight;
  EXPECT_GT(share(changed), 0.1);
  changed = llama;
  changed.statistic_rounding = StatisticRounding::kRstd;
  EXPECT_GT(share(changed), 0.1);
  changed = llama;
  changed.weight.form = WeightForm::kOnePlusW;
  EXPECT_GT(share(changed), 0.9);
  changed = llama;
  changed.epsilon.position = EpsilonPosition::kNone;
  EXPECT_GT(share(changed), 0.01);

  // In binary32 the order of the sum and the kind of the root show too.
  const Capture wide = read_capture("fp32-n1000/hf.LlamaRMSNorm.cpu");
  const auto differing = [&wide](const Recipe& recipe) {
    return differing_elements(emulate_block(recipe, wide.input).y, wide.y).size();
  };
  EXPECT_EQ(differing(llama), 0U);
  changed = llama;
  changed.statistic.order.lanes = 16;
  EXPECT_GT(differing(changed), 100U);
  changed = llama;
  changed.root.kind = RootKind::kRsqrtCorrect;
  EXPECT_GT(differing(changed), 100U);
}

// A recipe says that it is confirmed if and only if a capture here confirms it, and names one.
TEST(RecipeCaptures, ConfirmedRecipesAreThoseOfTheList) {
  std::map<std::string, std::set<std::string>> implementations;
  for (const RecipeClaim& claim : recipe_claims()) {
    implementations[claim.recipe].insert(claim.implementation);
  }
  std::size_t confirmed = 0;
  for (const Recipe& recipe : catalogue_recipes()) {
    // LayerNorms have captures of their own (layernorm_captures_test.cpp).
    if (recipe.statistic.kind == StatisticKind::kVariance) continue;
    SCOPED_TRACE(recipe.name);
    const auto& names = implementations[recipe.name];
    EXPECT_EQ(recipe.confirmed_by.empty(), names.empty());
    if (recipe.confirmed_by.empty()) {
      EXPECT_FALSE(recipe.would_confirm.empty());
      continue;
    }
    const std::string& first = recipe.confirmed_by.front();
    EXPECT_TRUE(names.contains(first.substr(0, first.find(' ')))) << first;
    ++confirmed;
  }
  EXPECT_GE(confirmed, 35U);
}

// Every file that lies there is used.
TEST(RecipeCaptures, NoCaptureLiesIdle) {
  std::set<std::string> used;
  for (const RecipeClaim& claim : recipe_claims()) used.insert(claim.capture);
  std::set<std::string> present;
  for (const auto& entry : fs::recursive_directory_iterator(shipped_captures())) {
    if (entry.path().extension() != ".safetensors") continue;
    fs::path name = entry.path().lexically_relative(shipped_captures());
    present.insert(name.replace_extension().generic_string());
  }
  EXPECT_EQ(present, used);
}

}  // namespace
}  // namespace normcert
