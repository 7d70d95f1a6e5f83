// Rows on which ways to compute RMSNorm come apart, in batches that share a weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numeric/float_format.hpp"
#include "problem/tensor.hpp"

namespace normcert {

struct RowBatch {
  Tensor x;
  std::optional<Tensor> weight;  // one row
};

// normal    normal deviates; q/epsilon from 0.01 to 100, or rows of ordinary size
// even      every element one magnitude but for its sign and, in every other row, a power of two:
//           the same rounding happens in each element, so that all of them differ or none
// tuned     even rows but for the last few elements, which move the RMS until each result (or x*r,
//           before the weight) lies next to a rounding midpoint of x's format
enum class RowFamily : std::uint8_t { kNormal, kEven, kTuned };

struct RowDemand {
  std::size_t width = 0;
  std::size_t rows = 0;  // of a batch, at most
  const FloatFormat* x = nullptr;
  const FloatFormat* weight = nullptr;  // nullptr: none
  double epsilon = 0;
  double weight_offset = 0;
  std::uint64_t seed = 0;
};

// A function of its arguments alone; batches of different numbers are independent. Rows that the
// format cannot hold are left out, so there may be none.
[[nodiscard]] RowBatch separating_rows(const RowDemand& demand, RowFamily family,
                                       std::size_t number);

// One row of one element for each positive number of a 16-bit format.
[[nodiscard]] RowBatch all_single_elements(const RowDemand& demand, std::size_t number);

}  // namespace normcert
