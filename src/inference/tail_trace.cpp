#include "inference/tail_trace.hpp"

#include <algorithm>

namespace normcert {

RowsTrace& TailTrace::of(const RowsOrigin& origin) {
  const auto found = std::ranges::find(rows, origin, &RowsTrace::origin);
  if (found != rows.end()) return *found;
  rows.push_back({origin, kNoRow, {}});
  return rows.back();
}

std::vector<RowKey> named_rows(const std::vector<TailTrace>& traces) {
  std::vector<RowKey> named;
  const auto add = [&](const RowKey& row) {
    if (row != kNoRow) named.push_back(row);
  };
  for (const TailTrace& trace : traces) {
    named.insert(named.end(), trace.changed.begin(), trace.changed.end());
    for (const RowsTrace& rows : trace.rows) {
      add(rows.without);
      for (const FitTrace& fit : rows.fits) {
        for (const Extreme& extreme : fit.extremes.all()) add(extreme.row);
      }
    }
  }
  std::ranges::sort(named);
  const auto rest = std::ranges::unique(named);
  named.erase(rest.begin(), rest.end());
  return named;
}

}  // namespace normcert
