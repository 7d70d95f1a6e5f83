// What a tail leaves of each row's scalar, beside the statistic of a hypothesis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/epsilon_fit.hpp"
#include "inference/float_grid.hpp"
#include "inference/site_scan.hpp"

namespace normcert {

enum class SumKind : std::uint8_t {
  kSquares,        // exact
  kNarrowSquares,  // each square rounded to the input's format, of Numerator::kInput
  kSequential,     // in binary32 from first to last, of Numerator::kInput
};

// What numbers of rows a fit is about.
struct RowsOrigin {
  Numerator source = Numerator::kInput;
  SumKind kind = SumKind::kSquares;
  double divisor = 1;
  bool narrow_scalar = false;  // what rounds to a number of the input's format, or, `divides`,
  bool divides = false;        // whose reciprocal does

  friend bool operator==(const RowsOrigin&, const RowsOrigin&) = default;
};

struct FitRows {
  RowsOrigin origin;
  std::vector<FitRow> rows;
};

// One row; nothing where it says nothing. `interval` as scalar_interval() has it.
[[nodiscard]] std::optional<FitRow> fit_row(const RowFacts& facts, const ScalarInterval& interval,
                                            const RowsOrigin& origin, const RowKey& key);

// What a tail leaves of a row, narrowed to the numbers of binary32 within, as r or as rms, where
// the output is narrower than those.
[[nodiscard]] ScalarInterval scalar_interval(const ScalarInterval& found, const Tail& tail,
                                             const FloatFormat& y);

// Rows of all scans; `tail` must not be refuted in any.
[[nodiscard]] FitRows fit_rows(std::span<const SiteScan* const> scans, std::size_t tail,
                               Numerator source, SumKind kind, double divisor);

// What rounds to a number of the format within the row's interval; nothing where none does.
[[nodiscard]] std::optional<FitRow> with_narrow_scalar(FitRow row, const FloatGrid& grid,
                                                       bool divides);
// Of all rows; where some row has none, nothing, and `without` is the first such row.
[[nodiscard]] std::optional<FitRows> with_narrow_scalar(const FitRows& rows,
                                                        const FloatFormat& format, bool divides,
                                                        RowKey& without);

}  // namespace normcert
