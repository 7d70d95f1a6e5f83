// Ports that never were: outputs of recipes of the conforming set, and of known mistakes, on rows
// that look real. What made them is known, so elimination can be held to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inference/elimination.hpp"
#include "problem/case.hpp"
#include "problem/recipe.hpp"

namespace normcert {

struct SyntheticPort {
  Case value;     // what is declared
  Recipe recipe;  // what was run
  TensorView y;
  std::optional<TensorView> residual_out;
  std::string defect;  // one of the required mutants; empty: none
};

// A defective port on the standard cases.
struct StandardPort {
  std::vector<Case> cases;
  std::vector<TensorView> y;  // of each
  Recipe recipe;
  std::string defect;
};

// The same number gives the same port on every machine. `most_width`: at least 32.
[[nodiscard]] SyntheticPort synthetic_port(std::uint64_t number, std::size_t most_width,
                                           bool defective);
[[nodiscard]] StandardPort standard_port(std::uint64_t number, std::size_t most_width);

// What the port computes, as elimination calls it; nothing where it has no name for it.
[[nodiscard]] std::optional<Hypothesis> hypothesis_of_port(const SyntheticPort& port,
                                                           const ObservedNorm& norm);

struct PortVerdict {
  DeclaredOutcome declared = DeclaredOutcome::kNotDeclared;
  EliminationOutcome outcome = EliminationOutcome::kNothingToJudge;
  // Of the hypothesis that the recipe is; nothing where it is none.
  std::optional<HypothesisStatus> truth;
  double slack_of_truth = 0;
};

[[nodiscard]] PortVerdict judged(const SyntheticPort& port);

// "port 17: bf16 n=96 rows=8 eps=1e-06 conforming: ..., defect outside"
[[nodiscard]] std::string described(std::uint64_t number, const SyntheticPort& port);
[[nodiscard]] std::string described(std::uint64_t number, const StandardPort& port);

}  // namespace normcert
