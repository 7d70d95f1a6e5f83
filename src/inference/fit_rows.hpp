// What a tail leaves of each row's scalar, beside the statistic of a hypothesis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/epsilon_fit.hpp"
#include "inference/site_scan.hpp"

namespace normcert {

enum class SumKind : std::uint8_t {
  kSquares,        // exact
  kNarrowSquares,  // each square rounded to the input's format, of Numerator::kInput
  kSequential,     // in binary32 from first to last, of Numerator::kInput
};

struct FitRows {
  std::vector<FitRow> rows;
  std::vector<std::size_t> scan;  // of each row: which of the scans, and its row there
  std::vector<std::size_t> row;
};

// Rows of all scans; `tail` must not be refuted in any. The intervals are narrowed to the numbers
// of binary32 within, as r or as rms, where the output is narrower than those.
[[nodiscard]] FitRows fit_rows(std::span<const SiteScan* const> scans, std::size_t tail,
                               Numerator source, SumKind kind, double divisor);

// What rounds to a number of the format within each row's interval; nothing where some row has
// none.
[[nodiscard]] std::optional<FitRows> with_narrow_scalar(const FitRows& rows,
                                                        const FloatFormat& format, bool divides);

}  // namespace normcert
