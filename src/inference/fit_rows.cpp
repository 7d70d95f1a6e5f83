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

FitRows fit_rows(std::span<const SiteScan* const> scans, std::size_t tail, Numerator source,
                 SumKind kind, double divisor) {
  FitRows result;
  const FloatGrid binary32(kFp32);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const SiteScan& scan = *scans[k];
    const Tail& which = scan.list.tails[tail];
    const bool narrows = !which.every_op && scan.norm->y.format->precision < kFp32.precision;
    for (std::size_t i = 0; i < scan.facts.size(); ++i) {
      const RowFacts& facts = scan.facts[i];
      ScalarInterval interval = scan.tails[tail].intervals[i];
      if (narrows) interval = narrowed(interval, binary32);
      FitRow row{interval.low, interval.high, sum_of(facts, source, kind) / divisor,
                 facts.max_magnitude};
      if (source == Numerator::kCentered) {
        // The norm of what the mean is off by, beside the norm of the centred row.
        const double error = facts.center_error / std::sqrt(row.q);
        const bool known = row.q > 0 && error < kMostCenterError;
        if (!known) continue;
        row.low *= 1 - error;
        row.high *= 1 + error + 2 * error * error;
      }
      if (!(row.q > 0)) continue;
      result.rows.push_back(row);
      result.scan.push_back(k);
      result.row.push_back(facts.row);
    }
  }
  return result;
}

std::optional<FitRows> with_narrow_scalar(const FitRows& rows, const FloatFormat& format,
                                          bool divides) {
  FitRows result = rows;
  const FloatGrid grid(format);
  for (FitRow& row : result.rows) {
    double low = divides ? 1 / row.high * (1 - kOut) : row.low;
    double high = divides ? 1 / row.low * (1 + kOut) : row.high;
    low = grid.ceiling(low);
    high = high <= grid.greatest() ? grid.floor(high) : kInfinity;
    if (low > high) return std::nullopt;
    low = grid.midpoint_below(low);
    high = grid.midpoint_above(high);
    row.low = divides ? 1 / high * (1 - kOut) : low;
    row.high = divides ? 1 / low * (1 + kOut) : high;
  }
  return result;
}

}  // namespace normcert
