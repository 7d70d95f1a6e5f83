// One row of RMSNorm in binary64, with a proven relative bound: the fast twin of ExactRow.
//
// Inputs of at most 24 significant bits (fp32, tf32, bf16, fp16, fp8). Write u for 2^-53 and
// gamma_k = k u / (1 - k u). fl() is binary64, round to nearest.
//
//   1. x_i^2 has at most 48 bits and an exponent between 2^-298 and 2^256: exact in binary64.
//   2. S^ = sum of n such terms, eight running sums that are then added: a term passes through at
//      most h = ceil(n/8) + 3 additions, so S^ = S (1 + d), |d| <= gamma_h (Higham, Accuracy and
//      Stability of Numerical Algorithms, 2nd ed., section 4.2; the terms are nonnegative, so the
//      relative error of the sum is at most that of its terms). A zero starts each sum exactly.
//   3. q^ = fl(S^ / n), e^ = fl(q^ + epsilon): two roundings of positive numbers, and q + epsilon
//      of nonnegative terms inherits the larger relative error: e^ = (q + epsilon)(1 + d'),
//      |d'| <= gamma_(h+2).
//   4. r^ = fl(1 / fl(sqrt(e^))): half of that, and two roundings: |r^/r - 1| <= gamma_(h+2)/2 + 2u
//      up to terms of second order.
//   5. The gain fl(offset + w) has one rounding (none where the offset is 0), fl(g x) one (none
//      where the offset is 0: 48 bits), its product with r^ one: three more.
// So |y^ - y| <= eta |y| with eta = gamma_(h+2)/2 + 6u; the terms of second order and the rounding
// of the interval's ends are covered by adding 4u and a factor of 1 + 2^-20. None of the steps may
// over- or underflow, which is checked where it could happen (1. and 3. cannot; 5. by the limits on
// |g x| and on r^). tests/judge holds every decision made from it against the exact twin.
#pragma once

#include <cstddef>
#include <optional>

#include "problem/case.hpp"

namespace normcert {

class BoundedRow {
 public:
  // Nothing where the assumptions do not hold: wider inputs, a residual, non-finite inputs, an
  // epsilon or offset out of range, another rounding mode than to nearest.
  [[nodiscard]] static std::optional<BoundedRow> of(const Case& value, std::size_t row);

  // y^ with |y^ - y| <= bound() |y|, error at most that; nothing where g x is zero or out of range.
  [[nodiscard]] std::optional<double> value(std::size_t index) const;
  [[nodiscard]] double bound() const { return bound_; }

 private:
  BoundedRow(const Case& value, std::size_t row, double inverse_rms, double bound)
      : case_(&value), row_(row), inverse_rms_(inverse_rms), bound_(bound) {}

  const Case* case_;
  std::size_t row_;
  double inverse_rms_;
  double bound_;
};

}  // namespace normcert
