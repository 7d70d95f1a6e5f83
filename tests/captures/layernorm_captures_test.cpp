// LayerNorms that the catalogue names, against outputs of the class
// (tests/data/layernorm_captures/README.md).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "captures/shipped_captures.hpp"
#include "catalogue/recipes.hpp"
#include "emulation/each_target.hpp"
#include "emulation/emulate.hpp"

namespace normcert {
namespace {

std::size_t differing(const Recipe& recipe, const std::string& name) {
  const Capture capture = read_capture("../layernorm_captures/" + name);
  const Tensor y = emulate_block(recipe, capture.input).y;
  EXPECT_EQ(*y.format, *capture.y.format);
  std::size_t count = 0;
  for (std::size_t row = 0; row < capture.y.rows; ++row) {
    for (std::size_t i = 0; i < capture.y.width; ++i) {
      if (!same_bits(y.at(row, i), capture.y.at(row, i))) ++count;
    }
  }
  return count;
}

TEST(LayerNormCaptures, ConfirmTheseRecipesAndNoOthers) {
  std::set<std::string> confirmed;
  for (const Recipe& recipe : catalogue_recipes()) {
    const bool centred = recipe.statistic.kind == StatisticKind::kVariance;
    if (centred && !recipe.confirmed_by.empty()) confirmed.insert(recipe.name);
  }
  EXPECT_EQ(confirmed, (std::set<std::string>{"hf.cohere_ln", "hf.cohere_ln.sm_90"}));
}

TEST(LayerNormCaptures, EveryElementIsReproduced) {
  const Recipe& on_the_cpu = recipe_named("CohereLayerNorm", "");
  EXPECT_EQ(on_the_cpu.name, "hf.cohere_ln");
  EXPECT_TRUE(on_the_cpu.confirmed_by.at(0).starts_with("hf.CohereLayerNorm.cpu "));
  const Recipe& on_a_gpu = recipe_named("hf.cohere_ln.sm_90", "");
  EXPECT_TRUE(on_a_gpu.confirmed_by.at(0).starts_with("hf.CohereLayerNorm.cuda "));
  for_each_target([&] {
    for (const std::string dtype : {"bf16", "fp16", "fp32"}) {
      EXPECT_EQ(differing(on_the_cpu, dtype + "-n64.hf.CohereLayerNorm.cpu"), 0U) << dtype;
    }
    for (const std::string dtype : {"fp16", "fp32"}) {
      EXPECT_EQ(differing(on_a_gpu, dtype + "-n64.hf.CohereLayerNorm.cuda"), 0U) << dtype;
    }
  });
  // What sets them apart shows.
  EXPECT_GT(differing(on_a_gpu, "fp32-n64.hf.CohereLayerNorm.cpu"), 0U);
  EXPECT_GT(differing(recipe_named("hf.olmo2", ""), "fp32-n64.hf.CohereLayerNorm.cpu"), 0U);
}

}  // namespace
}  // namespace normcert
