#include "judge/outlying_rows.hpp"

#include <algorithm>

namespace normcert {

std::vector<std::size_t> outlying_rows(const ResultTotals& result) {
  const Comparison& found = result.comparison;
  std::vector<std::size_t> rows;
  for (const ErrorMaximum* const error : {&found.absolute, &found.relative, &found.ulp}) {
    if (error->any) rows.push_back(error->witness.row);
  }
  for (const RowShare* const share : {&found.coherent, &found.incoherent}) {
    if (share->any) rows.push_back(share->row);
  }
  if (const auto row = result.conformity.differing()) rows.push_back(*row);
  if (found.non_finite.first) rows.push_back(found.non_finite.first->row);
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

}  // namespace normcert
