// The main job: every subject against the exact result of every case, and the verdict. Block by
// block (judge/block_plan.hpp): nothing is kept per element, and per row only what a median of at
// most 4096 rows needs.
#pragma once

#include <functional>

#include "blocks/background_tasks.hpp"
#include "judge/verify_totals.hpp"
#include "judge/verify_types.hpp"

namespace normcert {

// Progress between blocks: elements of x that are done, and all. May be empty.
using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

// Of the rows of request.part.
[[nodiscard]] VerifyTotals measure(const VerifyRequest& request, const Progress& progress = {},
                                   BackgroundTasks* beside = nullptr);

// measure() and conclude(), at level function with what judge_function() says. Results in the
// order: observed, candidates as given, mutants; then cases; then tensors.
[[nodiscard]] VerifyOutcome verify(const VerifyRequest& request, const Progress& progress = {});

}  // namespace normcert
