// What scales the rows of a port's outputs: for each row the factor that y / (gain x) shows, beside
// the exact inverse RMS, and the elements that do not follow it. What a diagnosis has left to say
// where no known function gives the outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/case.hpp"

namespace normcert {

struct RowFactorView {
  std::size_t row = 0;
  double q = 0;         // mean square of the inputs (x + residual)
  double exact = 0;     // 1 / sqrt(q + epsilon), the case's epsilon (0 where none is declared)
  double factor = 0;    // mean of y / (gain x) over the elements that agree with their median; or 0
  std::size_t off = 0;  // elements that do not follow the factor
  bool all_zero = false;    // every output is zero although an input with a gain is not
  bool non_finite = false;  // an output is infinite or NaN; factor and off are not formed
};

struct RowFactors {
  std::vector<RowFactorView> rows;            // those with finite, not all zero inputs
  std::vector<std::uint64_t> off_by_channel;  // of the rows that have a factor
  std::size_t compared = 0;                   // elements that could be compared
  // What rounding alone may do, relative: to one element (at most two roundings to y's format and
  // the error of the factor), to a row's factor (six standard errors of a mean of n roundings).
  double element_limit = 0;
  double factor_limit = 0;
};

// Binary64 arithmetic: figures for people and for symptoms, which are no verdicts. Reads every
// element once; memory grows with the rows.
[[nodiscard]] RowFactors row_factors(const Case& value, const TensorView& y);

}  // namespace normcert
