#include "inference/tail_trace.hpp"

#include <algorithm>
#include <utility>

namespace normcert {

RowsTrace& TailTrace::of(const RowsOrigin& origin) {
  const auto found = std::ranges::find(rows, origin, &RowsTrace::origin);
  if (found != rows.end()) return *found;
  rows.push_back({origin, kNoRow, {}});
  return rows.back();
}

TailTracer::TailTracer(std::vector<TailTrace>* traces, std::size_t tail, double q_error)
    : trace_(traces != nullptr ? &(*traces)[tail] : nullptr) {
  if (trace_ == nullptr) return;
  trace_->tail = tail;
  trace_->q_error = q_error;
}

void TailTracer::add_fit(const RowsOrigin& origin, FitTrace fit) {
  if (trace_ != nullptr) trace_->of(origin).fits.push_back(std::move(fit));
}

void TailTracer::add_without(RowsOrigin origin, bool divides, const RowKey& row) {
  origin.narrow_scalar = true;
  origin.divides = divides;
  if (trace_ != nullptr) trace_->of(origin).without = row;
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
