// Which rows of a case the mutants of a gate are run on.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/verify_types.hpp"

namespace normcert {

struct RowsToTry {
  std::vector<std::vector<std::size_t>> chunks;  // row numbers of the file, each ascending
  double least_q = 0;                            // mean square of the smallest row, nearly
};

// Of the rows that are judged, those without a NaN or an infinite input, in chunks of at most 2^20
// elements (one row at least). Where `whole`, all of them; else one chunk: every row if they fit
// into it or are few, otherwise the 32 of the least mean square, the 32 of the greatest, and 64 at
// even distances. Equal rows count by their number.
[[nodiscard]] RowsToTry rows_to_try(const JudgedCase& judged, bool whole, unsigned threads);

}  // namespace normcert
