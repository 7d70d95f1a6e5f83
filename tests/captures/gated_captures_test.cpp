// Gated norms of real frameworks: what their recipes leave open and what they do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "captures/shipped_captures.hpp"
#include "catalogue/recipes.hpp"
#include "inference/conforming_set.hpp"
#include "judge/conformity.hpp"

namespace normcert {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(NORMCERT_SOURCE_DIR) / "tests/data/conforming_captures";

std::vector<std::pair<std::string, std::string>> conforming_claims() {
  std::ifstream file(kFolder / "recipes.tsv");
  std::vector<std::pair<std::string, std::string>> claims;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    std::pair<std::string, std::string> claim;
    std::getline(columns, claim.first, '\t');
    std::getline(columns, claim.second, '\t');
    claims.push_back(claim);
  }
  return claims;
}

// On a GPU the exponential is not known to the last bit: binary32 outputs differ from the emulated
// ones, by a few codes where it is expf, by more where its error grows with the gate (Triton).
TEST(GatedCaptures, EveryRowOfAGpuConformsInBinary32) {
  std::size_t rows = 0;
  for (const auto& [name, recipe_name] : conforming_claims()) {
    SCOPED_TRACE(name + " by " + recipe_name);
    const Recipe& recipe = recipe_named(recipe_name, "recipes.tsv");
    const Capture capture = read_capture_file(kFolder / (name + ".safetensors"));
    const Case value = case_of(capture, recipe);
    const Tensor emulated = emulate_block(recipe, capture.input).y;
    std::uint64_t greatest = 0;
    for (std::size_t row = 0; row < capture.y.rows; ++row) {
      EXPECT_EQ(row_conforms(recipe, value, row, capture.y), Tristate::kSame) << row;
      for (std::size_t i = 0; i < capture.y.width; ++i) {
        greatest = std::max(greatest, code_distance(emulated.at(row, i), capture.y.at(row, i)));
      }
      ++rows;
    }
    EXPECT_GT(greatest, 0U);  // else it belongs among those that are reproduced
    EXPECT_LE(greatest, name.find("kernel.") == std::string::npos ? 6U : 100U);
  }
  EXPECT_EQ(rows, 8U * 20U);
}

struct Change {
  std::string what;
  std::function<bool(Recipe&)> apply;  // false: it has no meaning there
};

const std::vector<Change>& changes() {
  static const std::vector<Change> kChanges = {
      {"gate on the other side",
       [](Recipe& recipe) {
         recipe.gate = recipe.gate == GateMode::kBefore ? GateMode::kAfter : GateMode::kBefore;
         return true;
       }},
      {"another activation",
       [](Recipe& recipe) {
         const bool silu = recipe.activation.kind == Activation::kSilu;
         recipe.activation.kind = silu ? Activation::kSigmoid : Activation::kSilu;
         recipe.activation.form = ActivationForm::kQuotient;
         return true;
       }},
      {"another cast point",
       [](Recipe& recipe) {
         const bool before = recipe.cast == CastPoint::kBeforeWeight;
         recipe.cast = before ? CastPoint::kAfterWeight : CastPoint::kBeforeWeight;
         return true;
       }},
  };
  return kChanges;
}

// Of 16-bit captures no row conforms to a recipe with another gate or cast point, but for rows of
// which most outputs are zeros or subnormal numbers.
TEST(GatedCaptures, NoRowConformsToANeighbour) {
  std::size_t asked = 0;
  std::size_t conforming = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    const Recipe& recipe = recipe_named(claim.recipe, "recipes.tsv");
    if (recipe.gate == GateMode::kNone || claim.capture.starts_with("fp32")) continue;
    const Capture capture = read_capture(claim.capture);
    for (const Change& change : changes()) {
      Recipe other = recipe;
      if (!change.apply(other) || find_conflict(other)) continue;
      const Case value = case_of(capture, other);
      for (std::size_t row = 0; row < capture.y.rows; ++row) {
        std::size_t normal = 0;
        for (std::size_t i = 0; i < capture.y.width; ++i) {
          const Code y = capture.y.at(row, i);
          normal += std::fabs(to_binary64(y)) >= std::ldexp(1.0, y.format->emin) ? 1 : 0;
        }
        if (2 * normal < capture.y.width) continue;
        const Tristate conforms = row_conforms(other, value, row, capture.y);
        ++asked;
        if (conforms != Tristate::kSame) continue;
        ++conforming;
        ADD_FAILURE() << claim.capture << " by " << recipe.name << ", " << change.what << ", row "
                      << row;
      }
    }
  }
  EXPECT_GE(asked, 1000U);
  EXPECT_EQ(conforming, 0U);
}

// The classes of the conforming set are told apart too: every capture's rows conform to the class
// of its recipe, and in 16 bits to none with another cast.
TEST(GatedCaptures, TheClassOfARecipeIsFoundAmongAll) {
  std::size_t captures = 0;
  for (const RecipeClaim& claim : recipe_claims()) {
    const Recipe& recipe = recipe_named(claim.recipe, "recipes.tsv");
    if (recipe.gate == GateMode::kNone || claim.capture.starts_with("fp32")) continue;
    const Capture capture = read_capture(claim.capture);
    const Case value = case_of(capture, recipe);
    const RoundingSetting setting = rounding_setting(value, *capture.y.format);
    const auto own = rounding_class_of(recipe, setting);
    if (!own) continue;  // a root that may be 4 ulp off
    for (const RoundingClass& one : conforming_set(setting)) {
      std::size_t rows = 0;
      for (std::size_t row = 0; row < capture.y.rows; ++row) {
        rows += row_conforms(one.recipe, value, row, capture.y) == Tristate::kSame ? 1 : 0;
      }
      if (one.name == own->name) {
        EXPECT_EQ(rows, capture.y.rows) << claim.capture << ' ' << one.name;
      } else if (one.recipe.cast != own->recipe.cast) {
        EXPECT_LT(rows, capture.y.rows) << claim.capture << ' ' << one.name;
      }
    }
    ++captures;
  }
  EXPECT_GE(captures, 20U);
}

}  // namespace
}  // namespace normcert
