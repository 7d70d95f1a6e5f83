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

// How many rows of another class are named at most.
inline constexpr std::size_t kMostOfAnotherClass = 64;

// All judged rows of a case against the class of kernels that explains its first rows; where
// several do, against the one that leaves the fewest others.
struct RowsOfClass {
  bool asked = false;               // there is such a class
  bool all_conform = false;         // every row to it
  std::vector<std::size_t> others;  // the first that are rounded otherwise, by their numbers
};

// Exact. Nothing is asked where every row is rounded as the source rounds, or no class explains the
// first rows. Reads all rows that are judged. Requires outputs that were observed.
[[nodiscard]] RowsOfClass rows_of_class(const JudgedCase& judged, const ResultTotals& result,
                                        unsigned threads);

}  // namespace normcert
