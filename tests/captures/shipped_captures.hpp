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
#include "problem/case.hpp"
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
// Those of norms without a gate, of which everything is asked; of gated norms nothing is
// eliminated.
[[nodiscard]] std::vector<RecipeClaim> claims_without_gate();
[[nodiscard]] bool made_on_a_gpu(const RecipeClaim& claim);

struct Capture {
  BlockInput input;
  TensorView y;
  std::optional<TensorView> residual_out;
  bool epsilon_given = false;
};

// By the name in recipes.tsv.
[[nodiscard]] Capture read_capture(const std::string& name);
[[nodiscard]] Capture read_capture_file(const std::filesystem::path& path);

// Its inputs, y's format and, of a gated norm, the gate as its recipe uses it.
[[nodiscard]] Case case_of(const Capture& capture, const Recipe& recipe);

// With the recipe's own epsilon where the framework was called without one.
[[nodiscard]] Capture for_recipe(Capture capture, const Recipe& recipe);

}  // namespace normcert
