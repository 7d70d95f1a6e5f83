// Every hypothesis on the rows of one or several sites: least slack, status, epsilons, proofs.
#pragma once

#include <span>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/site_scan.hpp"
#include "inference/tail_trace.hpp"

namespace normcert {

// An element at which a hypothesis does not survive: one of the two whose rows ask for different
// epsilons at the bound of the known orders.
struct BindingElement {
  std::size_t scan = 0;
  std::size_t row = 0;
  bool asks_greatest = false;  // the element that asks for the greatest scalar of its row, or least
  double slack = 0;            // that the hypothesis needs
};

struct JudgeOptions {
  bool last_resort = false;    // the sum in the input's format, whose freedom hides everything else
  bool declared_only = false;  // mean square in binary32, epsilon inside the root: nothing else
  unsigned threads = 1;
  std::vector<BindingElement>* binding = nullptr;  // of judge_tail() alone: where they are added
  // One for each tail of the list; those of refuted tails stay empty. Unless it is nullptr it
  // becomes what the answers rest on.
  std::vector<TailTrace>* traces = nullptr;
};

// `scans[k]` is of the site that `sites[k]` names. Sorted by status, then least slack; recipes and
// same_outputs_here are not filled in.
[[nodiscard]] std::vector<EliminatedHypothesis> judge_hypotheses(
    std::span<const SiteScan* const> scans, std::span<const std::size_t> sites,
    const JudgeOptions& options);

// The same for one tail of the list, not sorted.
[[nodiscard]] std::vector<EliminatedHypothesis> judge_tail(std::span<const SiteScan* const> scans,
                                                           std::span<const std::size_t> sites,
                                                           std::size_t tail,
                                                           const JudgeOptions& options);

}  // namespace normcert
