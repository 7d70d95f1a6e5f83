// The plain way to be right: RMSNorm and the errors of the outputs in binary floating point of 256
// bits, element by element (Boost.Multiprecision).
#pragma once

#include <cstdint>

#include "problem/case.hpp"

namespace normcert {

struct WideMetrics {
  double max_absolute = 0;
  double max_relative = 0;
  double max_ulp = 0;
  std::uint64_t correctly_rounded = 0;
  std::uint64_t faithful = 0;
  std::uint64_t outside = 0;  // of atol + rtol |y|
  double coherent = 0;        // the greatest |k - 1| of a row
};

// Requires finite inputs and outputs, and normal exact results.
[[nodiscard]] WideMetrics wide_metrics(const Case& value, const TensorView& got, double atol,
                                       double rtol);

}  // namespace normcert
