#include "inference/fit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace normcert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOut = 0x1p-50;
// A centred row whose mean is known too badly says nothing.
constexpr double kMostCenterError = 0x1p-6;

double sum_of(const RowFacts& facts, Numerator source, SumKind kind) {
  switch (kind) {
    case SumKind::kSquares:
      return facts.square_sum[static_cast<std::size_t>(source)];
    case SumKind::kNarrowSquares:
      return facts.narrow_square_sum;
    case SumKind::kSequential:
      return facts.sequential_sum;
  }
  return 0;
}

// Numbers of the grid within, as they are or as their reciprocals.
ScalarInterval narrowed(const ScalarInterval& all, const FloatGrid& grid) {
  const double least = grid.ceiling(all.low);
  const double greatest = all.high <= grid.greatest() ? grid.floor(all.high) : kInfinity;
  const double least_rms = grid.ceiling(1 / all.high * (1 - kOut));
  const double greatest_rms =
      all.low > 1 / grid.greatest() ? grid.floor(1 / all.low * (1 + kOut)) : kInfinity;
  ScalarInterval narrow{kInfinity, -kInfinity, all.strays};
  if (least <= greatest) narrow = {least, greatest, all.strays};
  if (least_rms <= greatest_rms) {
    narrow.low = std::min(narrow.low, 1 / greatest_rms * (1 - kOut));
    narrow.high = std::max(narrow.high, 1 / least_rms * (1 + kOut));
  }
  // A kernel that computes in binary64 has scalars between those of binary32.
  if (narrow.empty()) return all;
  return {std::max(all.low, narrow.low), std::min(all.high, narrow.high), all.strays};
}

}  // namespace

ScalarInterval scalar_interval(const ScalarInterval& found, const Tail& tail,
                               const FloatFormat& y) {
  static const FloatGrid kBinary32(kFp32);
  const bool narrows = !tail.every_op && y.precision < kFp32.precision;
  return narrows ? narrowed(found, kBinary32) : found;
}

std::optional<FitRow> fit_row(const RowFacts& facts, const ScalarInterval& interval,
                              const RowsOrigin& origin, const RowKey& key) {
  FitRow row{interval.low, interval.high,
             sum_of(facts, origin.source, origin.kind) / origin.divisor, facts.max_magnitude, key};
  if (origin.source == Numerator::kCentered) {
    // The norm of what the mean is off by, beside the norm of the centred row.
    const double error = facts.center_error / std::sqrt(row.q);
    const bool known = row.q > 0 && error < kMostCenterError;
    if (!known) return std::nullopt;
    row.low *= 1 - error;
    row.high *= 1 + error + 2 * error * error;
  }
  if (!(row.q > 0)) return std::nullopt;
  return row;
}

FitRows fit_rows(std::span<const SiteScan* const> scans, std::size_t tail, Numerator source,
                 SumKind kind, double divisor) {
  FitRows result{{.source = source, .kind = kind, .divisor = divisor}, {}};
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const SiteScan& scan = *scans[k];
    for (std::size_t i = 0; i < scan.facts.size(); ++i) {
      const RowFacts& facts = scan.facts[i];
      const ScalarInterval interval = scalar_interval(scan.tails[tail].intervals[i],
                                                      scan.list.tails[tail], *scan.norm->y.format);
      const auto row = fit_row(facts, interval, result.origin, {k, facts.row});
      if (row) result.rows.push_back(*row);
    }
  }
  return result;
}

std::optional<FitRow> with_narrow_scalar(FitRow row, const FloatGrid& grid, bool divides) {
  double low = divides ? 1 / row.high * (1 - kOut) : row.low;
  double high = divides ? 1 / row.low * (1 + kOut) : row.high;
  low = grid.ceiling(low);
  high = high <= grid.greatest() ? grid.floor(high) : kInfinity;
  if (low > high) return std::nullopt;
  low = grid.midpoint_below(low);
  high = grid.midpoint_above(high);
  row.low = divides ? 1 / high * (1 - kOut) : low;
  row.high = divides ? 1 / low * (1 + kOut) : high;
  return row;
}

std::optional<FitRows> with_narrow_scalar(const FitRows& rows, const FloatFormat& format,
                                          bool divides, RowKey& without) {
  FitRows result = rows;
  result.origin.narrow_scalar = true;
  result.origin.divides = divides;
  const FloatGrid grid(format);
  for (FitRow& row : result.rows) {
    const auto narrow = with_narrow_scalar(row, grid, divides);
    if (!narrow) {
      without = row.key;
      return std::nullopt;
    }
    row = *narrow;
  }
  return result;
}

}  // namespace normcert
