// The captures of tests/data/captures and what recipes.tsv there claims of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "problem/recipe.hpp"
#include "problem/tensor.hpp"

namespace normcert {

[[nodiscard]] std::filesystem::path shipped_captures();

using Element = std::pair<std::size_t, std::size_t>;  // row, index

struct RecipeClaim {
  std::string capture;
  std::string implementation;
  std::string recipe;
  std::set<Element> differing;
};

[[nodiscard]] std::vector<RecipeClaim> recipe_claims();
[[nodiscard]] bool made_on_a_gpu(const RecipeClaim& claim);

struct Capture {
  BlockInput input;
  TensorView y;
  std::optional<TensorView> residual_out;
  bool epsilon_given = false;
};

// By the name in recipes.tsv.
[[nodiscard]] Capture read_capture(const std::string& name);

// With the recipe's own epsilon where the framework was called without one.
[[nodiscard]] Capture for_recipe(Capture capture, const Recipe& recipe);

}  // namespace normcert
