// One row of RMSNorm in double-double arithmetic, with a proven relative bound near 2^-99: the
// twin of ExactRow for every format, binary64 and rows with a residual included.
//
// Write u for 2^-53; the operations and their bounds, with sources, are those of
// numeric/double_double.hpp. All operands below are nonnegative sums or products and quotients, so
// relative errors add up and nothing cancels. Terms of second order (u^4) and what underflow can
// cost are collected at the end.
//
//   1. z_i = x_i + residual_i is a double-double without error: TwoSum of two numbers below 2^1022
//      (checked; without a residual z_i = x_i).
//   2. M = max|high(z_i)| lies in [2^k, 2^(k+1)); z_i is taken times 2^-k. Elements whose high part
//      is then below 2^-400 are left out of the sum. High parts are exact, and low parts lose at
//      most 2^-1074 against 2^-400.
//   3. t_i ~ z_i^2: error at most 7u^2; a product of high parts is at least 2^-800, which leaves
//      room for its rounding error, and each product with a low part underflows by at most 2^-1074.
//   4. S^ = sum of the t_i. Blocks of 256 elements: 8 running sums of 32 terms, added in pairs;
//      then blocks are added in pairs. A term passes through at most h = 32 + 3 +
//      ceil(log2(blocks)) additions of relative error 3u^2/(1 - 4u), and the terms are nonnegative,
//      so the sum's relative error is at most that of a term: (3h + 7) u^2. What step 2 left out is
//      at most n 2^-798, against S >= (1 - u)^2.
//      Where x and the residual have at most 24 bits and every z_i is a number of binary64, nothing
//      is scaled or left out, the squares are exact double-doubles (numeric/precise_square_sum.hpp)
//      and a term passes through 37 + ceil(log2(blocks of 1024)) additions: never more than h + 2,
//      and not more than h from 513 elements on, so that 3 (h + 2) u^2 <= (3h + 7) u^2 holds.
//   5. q^ = S^/n: 3u^2 more (n is a binary64 number). e^ = q^ + epsilon: 3u^2 more, and the sum of
//      nonnegative terms has at most the larger of their relative errors. epsilon is given.
//   6. s^ = sqrt(e^) at an even exponent, 1 <= e^ < 4: half of what came before, and 5u^2.
//      r^ = 1/s^: 15u^2 + 56u^3 more. So |r^/r - 1| <= ((3h + 13)/2 + 20) u^2.
//   7. g_i = offset + w_i: TwoSum again, without error. y^ = (z_i g_i) r^, each factor scaled into
//      [1, 2) or [1/2, 1]: two products, 14u^2.
// Together (1.5h + 40.5) u^2. bound() is (1.5h + 44) u^2 (1 + 2^-20): 3.5u^2 = 2^-104 for the terms
// of second order (below 2^-190), for underflow (below 2^-270 for each operation, relative to its
// result) and for turning a bound on |y^/y - 1| given (1 + d1)(1 + d2)... into a sum of the d's.
// h <= 60 for every width below 2^33: bound() < 2^-98.
//
// An activation a_i of a gate is known to A = kDoubleDoubleActivationError
// (numeric/activation.hpp); a product with it has 7u^2 more. Gates after the norm add A + 7u^2 to
// step 7. Gates before it add that to z_i and so twice to S (steps 2 to 4, on scaled numbers; those
// below 2^-400 of the greatest are left out as there, activations that vanish where all of them
// are), once to r and twice to y: bound() < 2^-94.
//
// The assumptions, each checked at run time: binary64 rounds to nearest and subnormals are kept
// (arithmetic_is_default); width below 2^33; x and residual finite; with a residual both below
// 2^1022; epsilon finite and not negative, positive where all z_i are zero; per element a finite
// weight, and with an offset both below 2^1022. tests/reference holds the bound against ExactRow.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "numeric/double_double.hpp"
#include "numeric/enclosure.hpp"
#include "problem/case.hpp"

namespace normcert {

class PreciseRow {
 public:
  // Nothing where an assumption fails. The case must outlive the row.
  [[nodiscard]] static std::optional<PreciseRow> of(const Case& value, std::size_t row);

  // y^ with |y^ - y| <= bound() |y|, error at most that. Zero exactly where g z is zero, with the
  // sign that ExactRow gives it. Nothing where an assumption about the weight fails, or the
  // activation of a gate vanishes.
  [[nodiscard]] std::optional<ScaledDoubleDouble> value(std::size_t index) const;
  [[nodiscard]] double bound() const { return bound_; }
  // The same as one number; nothing where value() is.
  [[nodiscard]] std::optional<Enclosure> enclosure(std::size_t index) const;

  // q = S/n and r = 1/sqrt(q + epsilon), within their own bounds (q is zero where all z are).
  [[nodiscard]] Enclosure mean_square() const { return mean_square_; }
  [[nodiscard]] Enclosure inverse_rms() const { return inverse_rms_; }
  // Whether r itself is the number in inverse_rms(): a power of two, where S is known without
  // rounding. Exact where true.
  [[nodiscard]] bool inverse_rms_is_exact() const;
  // S itself, where the sum is known to have been formed without rounding; rows of equal S have
  // equal r.
  [[nodiscard]] const std::optional<DoubleDouble>& exact_sum() const { return exact_sum_; }

 private:
  PreciseRow(const Case& value, std::size_t row) : case_(&value), row_(row) {}

  const Case* case_;
  std::size_t row_;
  Enclosure mean_square_;
  Enclosure inverse_rms_;
  std::optional<DoubleDouble> exact_sum_;
  std::vector<ScaledDoubleDouble> activations_;  // of a gate; NaN: it vanishes
  double bound_ = 0;
};

// z = x + residual as a double-double, exact (bound 0); a zero sum has the sign that ExactRow gives
// the output. Nothing for infinities and NaN, or where 2^1022 is reached with a residual.
[[nodiscard]] std::optional<ScaledDoubleDouble> precise_sum(const Case& value, std::size_t row,
                                                            std::size_t index);

}  // namespace normcert
