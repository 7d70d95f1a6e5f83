// Rows whose exact results lie within 2^-c (relative) of a rounding midpoint of T, but not on it,
// c = max(40, p + 16): who rounds the true result correctly has to know it to more than c bits.
// (In binary64 every number lies within 2^-53 of a midpoint; hence p + 16.)
//
// y = g x / sqrt(q + e). Where q is the square of a simple number R and so much larger than epsilon
// that e/q <= 2^-c, y = (g x / R)(1 - e/(2q) + ...): products g x / R of exactly p + 1 bits, the
// last of them set, are midpoints, and y lies just below. Two kinds of rows do that:
//
//   the gain carries the digits   pairs (1, 7) 2^j, R = 5 2^j since 1 + 49 = 2 x 25; the gain of
//   the
//                                 second is a multiple 5 v of 5, y = 7 v. Any width from 2 on.
//   the row carries the digits    even elements odd p-bit numbers m, gain 3/2 or 3/4, y = 3 m; odd
//                                 elements fill the sum of squares up so that R is a power of two
//                                 (up to 2^-(c+4) of q). Widths from 12 on.
#pragma once

#include <vector>

#include "generate/row_list.hpp"
#include "generate/row_request.hpp"
#include "numeric/code.hpp"

namespace normcert {

// c for results of `precision` bits.
[[nodiscard]] int midpoint_closeness(int precision);

// Adds the rows and changes the elements of `weight` that they need; element 2 stays zero, element
// 3 negative. `weight` holds request.spec.width codes of request.spec.weight_format.
void add_midpoint(const RowRequest& request, std::vector<Code>& weight, RowList& rows);

}  // namespace normcert
