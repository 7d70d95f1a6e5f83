// Rows that stand out among all that a run measured: elimination is given them besides a sample, so
// that a row which no sample hits is not accepted unseen.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/verify_totals.hpp"

namespace normcert {

// Exact. In rising order, as their file numbers them: the rows of the greatest absolute, relative
// and ulp error, of the greatest coherent and incoherent share of a row's error, the first that is
// not rounded as the source rounds, and the first with an output of another kind than the exact
// result (NaN, an infinity). At most seven.
[[nodiscard]] std::vector<std::size_t> outlying_rows(const ResultTotals& result);

}  // namespace normcert
