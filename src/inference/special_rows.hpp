// Rows that tell elimination nothing, because their inputs or outputs are zeros, infinities or NaN,
// and yet are not what a function gives that explains all other rows: a row that was never written,
// NaN where nothing overflows, numbers where the inputs were NaN.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inference/elimination.hpp"

namespace normcert {

enum class RowFault : std::uint8_t {
  kZeros,          // all outputs are 0 where they would be normal numbers
  kNan,            // a NaN although the inputs are finite and nothing overflows on the way
  kInfinite,       // the same with an infinity
  kZeroRow,        // of a row of zeros another output than 0, or than NaN where nothing is added
  kNanInput,       // a number although an input of the row is NaN
  kInfiniteInput,  // another output than 0 or NaN although an input of the row is infinite
  kFar,            // of inputs whose squares leave binary32: another output than r can give
  kNumber,         // how many there are
};

// What exceeds the greatest number of a format on the way to an output, in a row that is no fault.
enum class Overflow : std::uint8_t {
  kOutput,
  kInputTimesScalar,
  kInputTimesGain,
  kGainTimesScalar,
  kSquares,
  kNumber
};

struct RowsSeen {
  std::size_t rows = 0;
  std::size_t first = 0;  // of no account without rows

  void add(std::size_t row) {
    if (rows++ == 0) first = row;
  }
};

struct SpecialRows {
  std::array<RowsSeen, static_cast<std::size_t>(RowFault::kNumber)> faults{};
  std::array<RowsSeen, static_cast<std::size_t>(Overflow::kNumber)> overflows{};

  [[nodiscard]] bool any_fault() const;
  // `numbers`: what the rows are called; empty: as they are.
  void name_rows(std::span<const std::size_t> numbers);
  // "all outputs are 0 where normal numbers are due, in 1 row (the first is 7)", one for each kind.
  [[nodiscard]] std::vector<std::string> fault_words() const;
  // "outputs are not finite, or all 0, where x times the gain may overflow (x fp16, y fp16), in 2
  // rows (the first is 7)".
  [[nodiscard]] std::vector<std::string> overflow_words(const ObservedNorm& norm) const;
};

// Binary64 estimates with a margin of a quarter: what may overflow or vanish on the way is no
// fault. `best` explains the other rows, with its best epsilon. Nothing is found where the gain is
// not known, or for what is no norm of a row (`identity`, `times_rms`, groups, an input that is
// converted first). Reads all rows; `counts` says whether there is anything to look for.
[[nodiscard]] SpecialRows special_rows(const ObservedNorm& norm, const EliminatedHypothesis& best,
                                       const RowCounts& counts);

}  // namespace normcert
