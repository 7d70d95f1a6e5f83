#include "inference/row_checks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace normcert {
namespace {

const std::vector<FitRow> kNoRows;

// Rows of this or a later place may exceed it.
bool may_be_exceeded(const Extreme& extreme) {
  const bool has_no_number = extreme.kind == ExtremeKind::kNoNumber && extreme.row != kNoRow;
  return extreme.kind != ExtremeKind::kNamed && !has_no_number;
}

bool holds(std::span<const TailTrace> held, std::size_t tail, const RowsOrigin& origin,
           const FitTrace& fit, const Extreme& extreme) {
  return std::ranges::any_of(held, [&](const TailTrace& trace) {
    if (trace.tail != tail || !trace.changed.empty()) return false;
    const auto rows = std::ranges::find(trace.rows, origin, &RowsTrace::origin);
    return rows != trace.rows.end() && std::ranges::any_of(rows->fits, [&](const FitTrace& other) {
             return other.form == fit.form && other.steps == fit.steps &&
                    std::ranges::any_of(other.extremes.all(), [&](const Extreme& one) {
                      return same_question(one, extreme);
                    });
           });
  });
}

}  // namespace

std::vector<bool> RowChecks::tails(std::size_t count) const {
  std::vector<bool> checked(count, false);
  for (const OfTail& of : tails_) checked[of.tail] = true;
  return checked;
}

RowChecks::RowChecks(std::span<const TailTrace> traces, const SiteScan& scan, std::size_t index,
                     std::span<const TailTrace> held)
    : list_(scan.list),
      y_(*scan.norm->y.format),
      x_grid_(*scan.norm->value->x.format),
      index_(index) {
  for (const TailTrace& trace : traces) {
    if (trace.rows.empty()) continue;
    OfTail of{trace.tail, {}, {}};
    for (const RowKey& row : trace.changed) {
      if (row.scan == index) of.changed.push_back(row.row);
    }
    for (const RowsTrace& rows : trace.rows) {
      Rows checked{rows.origin, {}};
      // Where some row has no number nothing was fitted, and nothing is with other rows.
      if (rows.without != kNoRow) continue;
      for (const FitTrace& fit : rows.fits) {
        Fit one{EpsilonFit(kNoRows, fit.form, trace.q_error), {}};
        if (fit.steps) {
          one.by.emplace<NarrowChain>(kNoRows, *fit.steps, *scan.norm->value->x.format,
                                      trace.q_error);
        }
        for (const Extreme& extreme : fit.extremes.all()) {
          const bool is_held =
              trace.changed.empty() && holds(held, trace.tail, rows.origin, fit, extreme);
          if (may_be_exceeded(extreme) && !is_held) one.extremes.push_back(extreme);
        }
        if (!one.extremes.empty()) checked.fits.push_back(std::move(one));
      }
      if (!checked.fits.empty()) of.rows.push_back(std::move(checked));
    }
    if (!of.rows.empty()) tails_.push_back(std::move(of));
  }
}

bool RowChecks::exceeds(const RowFacts& facts, const std::vector<ScalarInterval>& found,
                        const std::vector<bool>& alive) const {
  return std::ranges::any_of(tails_, [&](const OfTail& of) {
    if (!alive[of.tail] || std::ranges::find(of.changed, facts.row) != of.changed.end()) {
      return false;
    }
    const ScalarInterval interval = scalar_interval(found[of.tail], list_.tails[of.tail], y_);
    return std::ranges::any_of(of.rows,
                               [&](const Rows& rows) { return exceeds(rows, facts, interval); });
  });
}

bool RowChecks::exceeds(const Rows& rows, const RowFacts& facts,
                        const ScalarInterval& interval) const {
  std::optional<FitRow> row = fit_row(facts, interval, rows.origin, {index_, facts.row});
  if (!row) return false;
  if (rows.origin.narrow_scalar) {
    row = with_narrow_scalar(*row, x_grid_, rows.origin.divides);
    if (!row) return true;
  }
  return std::ranges::any_of(rows.fits, [&](const Fit& fit) {
    return std::visit([&](const auto& by) { return by.exceeds(*row, fit.extremes); }, fit.by);
  });
}

}  // namespace normcert
