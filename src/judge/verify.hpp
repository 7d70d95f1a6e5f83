// The main job: every subject against the exact result of every case, and the verdict.
#pragma once

#include "judge/verify_types.hpp"

namespace normcert {

// Progress between cases: (done, all). May be empty.
using Progress = std::function<void(std::size_t, std::size_t)>;

// Results in the order: observed, candidates as given, mutants; then cases; then tensors.
[[nodiscard]] VerifyOutcome verify(const VerifyRequest& request, const Progress& progress = {});

}  // namespace normcert
