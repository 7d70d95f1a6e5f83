// Cases of one row built from numbers, for the tests of `reference`.
#pragma once

#include <vector>

#include "problem/case.hpp"

namespace normcert {

// Every number is rounded to its tensor's format (to nearest, saturating), so that tests may write
// down or compute what they like; tests that need a number exactly choose one that fits.
struct RowNumbers {
  const FloatFormat* format = &kFp32;  // of x, and of y unless `output` says otherwise
  std::vector<double> x;
  std::vector<double> residual{};  // empty: none
  const FloatFormat* residual_format = &kFp32;
  std::vector<double> weight{};  // empty: none
  const FloatFormat* weight_format = &kFp32;
  double offset = 0;
  double epsilon = 1e-6;
};

[[nodiscard]] Case built_case(const RowNumbers& numbers);

// The number that `value` becomes in `format`: rounded to nearest, saturating.
[[nodiscard]] double fitted(double value, const FloatFormat& format);

}  // namespace normcert
