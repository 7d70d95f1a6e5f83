// One question alone: could the declared function have given these outputs? What elimination says
// of everything else is left out, which makes it cheap enough to be asked of many defects in turn.
#pragma once

#include <cstddef>
#include <span>

#include "inference/elimination.hpp"

namespace normcert {

struct DeclaredStanding {
  std::size_t rows = 0;   // that could be judged; without any, everything is possible
  bool possible = true;   // with the declared epsilon, at the bound of any order of the sum
  bool plausible = true;  // the same at the bound of the known orders
};

// The declared epsilon, in one of its forms, needs no more than that slack under the hypothesis.
[[nodiscard]] bool has_declared_epsilon(const EliminatedHypothesis& one, double slack);

// Of the declared function: mean square in binary32 or better, epsilon inside the root, the
// declared offset, weight and residual used once, wherever it is rounded. The norm must declare
// them: offset given, epsilon with a text, a weight or `weight_none`; of several norms, which must
// be alike as eliminate() asks, it is that of all together. Requires formats of up to binary32.
[[nodiscard]] DeclaredStanding declared_standing(std::span<const ObservedNorm> norms,
                                                 unsigned threads);

}  // namespace normcert
