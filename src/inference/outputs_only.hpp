// What outputs say without their inputs. The RMS of y / gain is A = sqrt(q / (q + epsilon)), so
// A^2 / (1 - A^2) = q / epsilon: within some 5 % up to about 1000, above which A differs from 1 by
// no more than rounding. It says where epsilon bites and where it is immaterial, never which one it
// was.
#pragma once

#include <cstddef>

#include "problem/case.hpp"

namespace normcert {

struct OutputsOnly {
  std::size_t rows = 0;  // finite, not all zero, gain not zero everywhere
  std::size_t zero_rows = 0;
  std::size_t non_finite_rows = 0;
  std::size_t immaterial_rows = 0;  // A within `limit` of 1: q / epsilon above 1 / (2 limit)
  std::size_t above_one_rows = 0;   // A above 1 + limit: no epsilon does that; another gain
  double limit = 0;                 // of |A - 1| that rounding y may cause: six standard errors
  double least_attenuation = 0;     // of the rows; 0 where there is none
  double median_attenuation = 0;
  double greatest_attenuation = 0;
};

// q / epsilon at an attenuation below 1; *rounded* as binary64 arithmetic rounds it.
[[nodiscard]] double q_over_epsilon_at(double attenuation);

// Of the case's weight and offset; its x is not read.
[[nodiscard]] OutputsOnly outputs_only(const Case& value, const TensorView& y);

}  // namespace normcert
