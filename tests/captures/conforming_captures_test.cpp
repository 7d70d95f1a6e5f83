// What holds of captures made on a GPU without knowing the device: nearly every 16-bit element is
// that of the recipe with another order of the sum, and every row, of any width and format, comes
// from one value of its inverse RMS.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "captures/shipped_captures.hpp"
#include "catalogue/recipes.hpp"
#include "inference/conforming_set.hpp"
#include "judge/conformity.hpp"

namespace normcert {
namespace {

double equal_share(const Recipe& recipe, const Capture& capture) {
  const EmulatedBlock block = emulate_block(recipe, capture.input);
  std::size_t equal = 0;
  for (std::size_t row = 0; row < capture.y.rows; ++row) {
    for (std::size_t i = 0; i < capture.y.width; ++i) {
      equal += same_bits(block.y.at(row, i), capture.y.at(row, i)) ? 1 : 0;
    }
  }
  return static_cast<double>(equal) / static_cast<double>(capture.y.size());
}

// The recipe of the same function that knows no device: hf.llama of hf.llama.sm_90.
const Recipe* without_device(const std::string& name) {
  constexpr std::string_view kSuffix = ".sm_90";
  return name.ends_with(kSuffix) ? find_recipe(name.substr(0, name.size() - kSuffix.size()))
                                 : find_recipe(name);
}

TEST(ConformingCaptures, SixteenBitCapturesOfAGpuAreNearlyEqual) {
  std::size_t captures = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    const Recipe* recipe = without_device(claim.recipe);
    if (!made_on_a_gpu(claim) || claim.capture.starts_with("fp32") || recipe == nullptr) continue;
    EXPECT_GE(equal_share(*recipe, for_recipe(read_capture(claim.capture), *recipe)), 0.999)
        << claim.capture << " by " << recipe->name;
    ++captures;
  }
  EXPECT_GE(captures, 30U);
}

// Without the device's order and root, binary32 outputs of a GPU are a few codes away.
TEST(ConformingCaptures, Binary32CapturesOfAGpuAreWithinSixCodes) {
  std::size_t captures = 0;
  std::uint64_t greatest = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    const Recipe* recipe = without_device(claim.recipe);
    if (!made_on_a_gpu(claim) || !claim.capture.starts_with("fp32") || recipe == nullptr) continue;
    SCOPED_TRACE(claim.capture + " by " + recipe->name);
    const Capture capture = for_recipe(read_capture(claim.capture), *recipe);
    const EmulatedBlock block = emulate_block(*recipe, capture.input);
    for (std::size_t row = 0; row < capture.y.rows; ++row) {
      for (std::size_t i = 0; i < capture.y.width; ++i) {
        const Code here = block.y.at(row, i);
        const Code there = capture.y.at(row, i);
        if (is_nan(here) && is_nan(there)) continue;
        greatest = std::max(greatest, code_distance(here, there));
      }
    }
    ++captures;
  }
  EXPECT_LE(greatest, 6U);
  EXPECT_GE(captures, 15U);
  RecordProperty("greatest", std::to_string(greatest));
}

TEST(ConformingCaptures, EveryRowOfAGpuConforms) {
  std::size_t rows = 0;
  std::size_t rows_in_binary32 = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    const Recipe* recipe = without_device(claim.recipe);
    if (!made_on_a_gpu(claim) || recipe == nullptr || !has_binary32_statistic(*recipe)) continue;
    const Capture capture = for_recipe(read_capture(claim.capture), *recipe);
    const Case value = case_of(capture, *recipe);
    for (std::size_t row = 0; row < capture.y.rows; ++row) {
      EXPECT_EQ(row_conforms(*recipe, value, row, capture.y), Tristate::kSame)
          << claim.capture << " by " << recipe->name << ", row " << row;
      ++rows;
      rows_in_binary32 += claim.capture.starts_with("fp32") ? 1 : 0;
    }
  }
  EXPECT_GE(rows, 500U);
  EXPECT_GE(rows_in_binary32, 200U);
}

// Of every capture, CPU and GPU, the rows of its recipe. Left out are the recipes that round the
// statistic to the input's format (naive.*) and those of another function (wrong.*), for which
// conformity is not defined.
TEST(ConformingCaptures, EveryRowOfABinary32StatisticConforms) {
  std::size_t claims = 0;
  std::size_t rows = 0;
  std::set<std::string> left_out;
  std::set<std::string> without_class;
  for (const RecipeClaim& claim : recipe_claims()) {
    const Recipe& recipe = recipe_named(claim.recipe, "recipes.tsv");
    if (!has_binary32_statistic(recipe)) {
      left_out.insert(recipe.name);
      continue;
    }
    const Capture capture = for_recipe(read_capture(claim.capture), recipe);
    const Case value = case_of(capture, recipe);
    const RoundingSetting setting = rounding_setting(value, *capture.y.format);
    const auto of_recipe = rounding_class_of(recipe, setting);
    if (!of_recipe) without_class.insert(recipe.name);
    for (std::size_t row = 0; row < capture.y.rows; ++row) {
      const std::string where = claim.capture + " by " + recipe.name + ", row ";
      EXPECT_EQ(row_conforms(recipe, value, row, capture.y), Tristate::kSame) << where << row;
      if (of_recipe) {
        EXPECT_EQ(row_conforms(of_recipe->recipe, value, row, capture.y), Tristate::kSame)
            << where << row << " as " << of_recipe->name;
      }
      ++rows;
    }
    ++claims;
  }
  EXPECT_EQ(claims, 172U);
  EXPECT_EQ(rows, 3410U);
  EXPECT_EQ(left_out,
            (std::set<std::string>{"naive.div.cpu", "naive.div.cuda", "naive.div.cuda_order",
                                   "naive.rsqrt.cpu", "naive.rsqrt.cuda", "naive.rsqrt.sm_90",
                                   "wrong.epsilon_after_rsqrt", "wrong.epsilon_after_rsqrt.sm_90",
                                   "wrong.epsilon_outside", "wrong.epsilon_outside.cuda"}));
  // Their reciprocal root may be 4 ulp off, which no class grants.
  EXPECT_EQ(without_class,
            (std::set<std::string>{"fla.gated", "fla.gated.sigmoid", "mamba.gated.before"}));
}

}  // namespace
}  // namespace normcert
