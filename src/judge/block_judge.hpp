// One block of rows with everything that is compared with it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "judge/block_plan.hpp"
#include "judge/case_rows.hpp"
#include "judge/certified_compare.hpp"
#include "judge/verify_totals.hpp"

namespace normcert {

// The implementations behind the names of source recipes.
using SourceRecipes = std::map<std::string, Implementation>;

// The recipe of the source framework, else the exact result with one rounding.
[[nodiscard]] std::string source_name(const JudgedCase& judged);

// What the blocks of a case share; it changes the time, not what they find.
struct KnownOfCase {
  std::vector<KnownErrors> errors;        // of the results, in their order; empty: nothing is known
  std::shared_ptr<const RowGains> gains;  // of y; may be empty
  // As in BlockContext; may be empty.
  std::shared_ptr<std::atomic<bool>> precisely;
};

// `rows` are those of the block, `sums` theirs. Results in the order: observed, candidates,
// mutants; of each y, then residual_out. Every recipe is computed once.
[[nodiscard]] std::vector<ResultTotals> judge_block(const VerifyRequest& request,
                                                    const SourceRecipes& sources,
                                                    const RowBlock& block, const CaseRows& rows,
                                                    std::span<const RowSum> sums,
                                                    KnownOfCase known);

}  // namespace normcert
