// Which rows of a case a part of a run has, as far as its report tells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "judge/block_plan.hpp"

namespace normcert {

struct PartRows {
  Part part{};
  std::size_t first_unit = 0;  // of the case, in the run
  std::size_t rows = 0;        // of the case, all parts
  std::size_t rows_in_file = 0;
  std::size_t width = 0;

  [[nodiscard]] std::size_t units() const { return (rows + kUnitRows - 1) / kUnitRows; }
  [[nodiscard]] bool has_unit(std::size_t unit) const {
    return unit >= first_unit && unit < first_unit + units() && unit % part.of == part.index - 1;
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (std::size_t unit = 0; unit < units(); ++unit) {
      if (has_unit(first_unit + unit)) sum += std::min(kUnitRows, rows - unit * kUnitRows);
    }
    return sum;
  }
  // Of rows that were chosen in a file only that they are among its rows is known.
  [[nodiscard]] bool has_row(std::size_t row) const {
    if (rows != rows_in_file) return row < rows_in_file;
    return row < rows && has_unit(first_unit + row / kUnitRows);
  }
};

}  // namespace normcert
