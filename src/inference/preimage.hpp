// What the last conversion of a tail takes to one output.
#pragma once

#include "inference/float_grid.hpp"

namespace normcert {

// The numbers that are taken to `magnitude`, both ends included: between the midpoints, or up
// to the next number where digits are dropped.
struct Preimage {
  double low = 0;
  double high = 0;
};

[[nodiscard]] inline Preimage preimage(double magnitude, const FloatGrid& grid, bool truncates) {
  // Zero: anything below the least normal number, which may have been flushed.
  if (magnitude == 0) return {0, grid.least_normal()};
  if (truncates) return {magnitude, grid.next(magnitude)};
  return {grid.midpoint_below(magnitude), grid.midpoint_above(magnitude)};
}

}  // namespace normcert
