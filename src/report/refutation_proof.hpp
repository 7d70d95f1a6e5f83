// A refutation as something to redo by hand: the numbers of one or two elements, the steps between
// them for a calculator, and the same in a few lines of Python without any package.
//
// What it rests on: the outputs of a row grow with its scalar, and the scalar falls with epsilon,
// so that an output which is missed on one side at one epsilon is missed at all epsilons beyond.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "judge/diagnosis.hpp"

namespace normcert {

struct RefutationProof {
  std::string site;
  std::size_t row = 0;
  std::size_t index = 0;
  std::string text;                // what is shown, in a sentence
  std::vector<std::string> steps;  // each a line
  std::string python;              // lines that print the contradiction; empty: none were found
};

struct ProofRequest {
  Hypothesis hypothesis;
  Refutation refutation;
  std::optional<NamedEpsilon> refuted;  // one epsilon; none: every one
  std::optional<NamedEpsilon> fits;     // one that fits under the hypothesis, to be shown beside it
  std::string first_site;
  std::string second_site;
  const FloatFormat* x_format = nullptr;
  const FloatFormat* y_format = nullptr;
  std::size_t width = 0;
};

// None where the refutation names no element. The Python lines were carried out here first, in the
// same binary64 arithmetic, and do print the contradiction.
[[nodiscard]] std::optional<RefutationProof> proof_of(const ProofRequest& request);

}  // namespace normcert
