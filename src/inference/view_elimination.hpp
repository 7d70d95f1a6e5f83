// Elimination where no hypothesis about norms as they were captured survives: the same norms under
// the views of inference/input_view.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/input_view.hpp"

namespace normcert {

struct ViewedNorms {
  std::span<const ObservedNorm> norms;
  std::span<const std::size_t> sites;  // what each of them is called in witnesses
  std::size_t judged_rows = 0;         // as they were captured
  std::size_t kept_rows = 0;           // as in EliminationOptions
  bool last_resort = false;            // as in JudgeOptions
  unsigned threads = 1;
};

// Adds every hypothesis about the norms under each view that leaves one of them, to `hypotheses`;
// in order again. The views that do, of those asked for.
std::vector<InputView> add_viewed(const ViewedNorms& asked, std::span<const InputView> views,
                                  std::vector<EliminatedHypothesis>& hypotheses);

}  // namespace normcert
