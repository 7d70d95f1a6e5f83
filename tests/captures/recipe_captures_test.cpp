// The catalogue against outputs of real frameworks (tests/data/captures/README.md), element by
// element, by both evaluators.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catalogue/recipes.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors.hpp"
#include "problem/epsilon.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

const fs::path kCaptures = fs::path(NORMCERT_SOURCE_DIR) / "tests/data/captures";

using Element = std::pair<std::size_t, std::size_t>;  // row, index

struct Claim {
  std::string capture;
  std::string implementation;
  std::string recipe;
  std::set<Element> differing;
};

std::vector<Claim> claims() {
  std::ifstream file(kCaptures / "recipes.tsv");
  std::vector<Claim> claims;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    Claim claim;
    std::string differing;
    std::getline(columns, claim.capture, '\t');
    std::getline(columns, claim.implementation, '\t');
    std::getline(columns, claim.recipe, '\t');
    std::getline(columns, differing, '\t');
    std::istringstream pairs(differing == "-" ? "" : differing);
    for (std::string pair; pairs >> pair;) {
      const std::size_t colon = pair.find(':');
      claim.differing.insert(
          {std::stoul(pair.substr(0, colon)), std::stoul(pair.substr(colon + 1))});
    }
    claims.push_back(claim);
  }
  return claims;
}

struct Capture {
  BlockInput input;
  TensorView y;
  std::optional<TensorView> residual_out;
  bool epsilon_given = false;
};

Capture read_capture(const std::string& name) {
  const SafetensorsFile file = read_safetensors(kCaptures / (name + ".safetensors"));
  const auto view = [&file](std::string_view tensor) -> std::optional<TensorView> {
    const SafetensorsTensor* found = file.find(tensor);
    return found == nullptr ? std::nullopt : std::optional(file.view(*found));
  };
  Capture capture;
  capture.input.x = view("x").value();
  capture.input.weight = view("weight");
  capture.input.residual = view("residual");
  capture.y = view("y").value();
  capture.residual_out = view("residual_out");
  capture.input.weight_offset = std::stod(*find_text(file.metadata, "weight_offset"));
  const std::string& epsilon = *find_text(file.metadata, "epsilon");
  capture.epsilon_given = epsilon != "none given";
  if (capture.epsilon_given) {
    capture.input.epsilon = read_epsilon(epsilon, name, "epsilon").binary64;
  }
  return capture;
}

Capture for_recipe(Capture capture, const Recipe& recipe) {
  if (!capture.epsilon_given) {
    capture.input.epsilon = read_epsilon(recipe.epsilon.preset.value(), "", "preset").binary64;
  }
  return capture;
}

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
  for (const Claim& claim : claims()) {
    SCOPED_TRACE(claim.capture + " by " + claim.recipe);
    const Recipe* recipe = find_recipe(claim.recipe);
    ASSERT_NE(recipe, nullptr);
    const Capture capture = for_recipe(read_capture(claim.capture), *recipe);
    const EmulatedBlock block = emulate_block(*recipe, capture.input);
    EXPECT_EQ(differing_elements(block.y, capture.y), claim.differing);
    if (capture.residual_out) {
      EXPECT_TRUE(differing_elements(*block.residual_out, *capture.residual_out).empty());
    }
    elements += capture.y.size();
  }
  EXPECT_GE(elements, 200000U);
}

// What the catalogue says of itself is held to the list.
TEST(RecipeCaptures, CpuCapturesHaveNoDifferences) {
  std::size_t on_the_cpu = 0;
  for (const Claim& claim : claims()) {
    if (!claim.implementation.ends_with(".cpu")) continue;
    EXPECT_TRUE(claim.differing.empty()) << claim.capture;
    ++on_the_cpu;
  }
  EXPECT_GE(on_the_cpu, 40U);
}

TEST(RecipeCaptures, TheSlowEvaluatorGivesTheSame) {
  std::size_t elements = 0;
  for (const Claim& claim : claims()) {
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

// Every file that lies there is used.
TEST(RecipeCaptures, NoCaptureLiesIdle) {
  std::set<std::string> used = {"fp32-n64/formula.naive_lowp_div.cuda",
                                "fp32-n1000/formula.naive_lowp_div.cuda"};
  for (const Claim& claim : claims()) used.insert(claim.capture);
  std::set<std::string> present;
  for (const auto& entry : fs::recursive_directory_iterator(kCaptures)) {
    if (entry.path().extension() != ".safetensors") continue;
    fs::path name = entry.path().lexically_relative(kCaptures);
    present.insert(name.replace_extension().generic_string());
  }
  EXPECT_EQ(present, used);
}

}  // namespace
}  // namespace normcert
