// The sums of squares of many rows at once, each enclosed by two binary64 numbers: what is needed
// to order rows by their mean square without an exact evaluation of every one.
//
// Write u for 2^-53, z_i = x_i (+ residual_i) and S = sum z_i^2. z_i has at most one rounding, its
// square one more beside the two that it inherits, and a term passes through at most h =
// square_sum_depth(n) additions, so S^ = S (1 + d), |d| <= gamma_(h+3) (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 4.2; terms of a sum of nonnegative
// numbers). Squares of formats of at most 24 significant bits neither over- nor underflow; for
// wider ones S^ must lie far inside binary64's range, where what underflows is below 2^-100 of S. A
// further 4u covers that and the roundings of the two ends.
//
// With a gate before the norm, z_i = a(g_i) (x_i + residual_i) has three roundings, and a(g_i) is
// known to 2^-96: h + 9 in the place of h + 3, and S^ must lie far inside binary64's range.
#pragma once

#include <cstddef>
#include <vector>

#include "problem/case.hpp"

namespace normcert {

struct RowSum {
  double low = 0;  // low <= S <= high; 0 and infinity where binary64 cannot say more
  double high = 0;
  bool finite = false;  // every input of the row is, of its gate too; else there is no S
  double value = 0;     // S^, of rows without a residual and gate in formats of at most 24 bits
};

// *Lower and upper bounds*, one pair per row of first .. first + count - 1. Checked against exact
// sums by tests/reference/row_sums_test.cpp.
[[nodiscard]] std::vector<RowSum> row_sums(const Case& value, std::size_t first, std::size_t count);

}  // namespace normcert
