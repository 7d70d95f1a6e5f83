// Every hypothesis on the rows of one or several sites: least slack, status, epsilons, proofs.
#pragma once

#include <span>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/site_scan.hpp"

namespace normcert {

struct JudgeOptions {
  bool last_resort = false;    // the sum in the input's format, whose freedom hides everything else
  bool declared_only = false;  // mean square in binary32, epsilon inside the root: nothing else
  unsigned threads = 1;
};

// `scans[k]` is of the site that `sites[k]` names. Sorted by status, then least slack; recipes and
// same_outputs_here are not filled in.
[[nodiscard]] std::vector<EliminatedHypothesis> judge_hypotheses(
    std::span<const SiteScan* const> scans, std::span<const std::size_t> sites,
    const JudgeOptions& options);

}  // namespace normcert
