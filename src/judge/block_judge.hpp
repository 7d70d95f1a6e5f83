// One block of rows with everything that is compared with it.
#pragma once

#include <map>
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

// `rows` are those of the block, `sums` theirs. Results in the order: observed, candidates,
// mutants; of each y, then residual_out. Every recipe is computed once. `known`: of the results in
// that order, or nothing.
[[nodiscard]] std::vector<ResultTotals> judge_block(const VerifyRequest& request,
                                                    const SourceRecipes& sources,
                                                    const RowBlock& block, const CaseRows& rows,
                                                    std::span<const RowSum> sums,
                                                    std::vector<KnownErrors> known);

}  // namespace normcert
