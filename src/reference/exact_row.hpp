// The exact result of RMSNorm, decided by integers.
//
// With z_i = x_i (+ residual_i), S = sum z_i^2, gain g_i = offset + weight_i, all dyadic rationals,
//     y_i = g_i z_i / sqrt(S/n + epsilon),   so   y_i^2 = n g_i^2 z_i^2 / (S + n epsilon):
// y_i is the signed square root of a ratio of two exact integers (times powers of two). Every
// question about y_i - which side of a number it lies on, how it rounds, whether an output is
// faithful or within a tolerance - is a comparison of integers, and always has an answer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/code.hpp"
#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/wide.hpp"
#include "problem/case.hpp"

namespace normcert {

// sign x sqrt(numerator / denominator), exactly. The denominator is shared by a row.
class RootOfRatio {
 public:
  // Requires numerator >= 0 and denominator > 0.
  RootOfRatio(bool negative, BigDyadic numerator, std::shared_ptr<const BigDyadic> denominator);

  [[nodiscard]] bool negative() const { return negative_; }  // of a zero too: the sign of g z
  [[nodiscard]] bool is_zero() const { return numerator_.sign() == 0; }
  // Exact: the leading 64 bits of |value| and whether any follow. Computed once and kept, so one
  // element must not be asked by two threads at a time.
  [[nodiscard]] const LeadingBits& leading() const;
  // Correctly rounded.
  [[nodiscard]] Code rounded(const FloatFormat& format, RoundingRule rule = {}) const;
  // Sign of value - number, exact.
  [[nodiscard]] int compare_to(const BigDyadic& number) const;
  // Sign of value - numerator/denominator, exact. Requires denominator > 0.
  [[nodiscard]] int compare_to_ratio(const BigDyadic& numerator,
                                     const BigDyadic& denominator) const;
  // Whether the value lies within half a unit of the last digit of a printed number, ends included.
  [[nodiscard]] bool matches_printed(const ExactNumber& printed) const;
  // The value to 256 bits: relative error at most 3 x 2^-256 (two conversions' quotient, its root).
  [[nodiscard]] Wide wide() const;
  // number^2 - value^2, the subtraction exact, then two conversions and one quotient.
  [[nodiscard]] Wide difference_of_squares(const BigDyadic& number) const;

 private:
  bool negative_;
  BigDyadic numerator_;
  std::shared_ptr<const BigDyadic> denominator_;
  mutable std::optional<LeadingBits> leading_;
};

// One row of a case, summed exactly. Cheap to ask about single elements.
class ExactRow {
 public:
  // Requires a case that validate() accepts and that outlives the row, a finite row, and
  // S + n epsilon > 0.
  ExactRow(const Case& value, std::size_t row);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] RootOfRatio element(std::size_t index) const;
  // z_i, gain_i: exact.
  [[nodiscard]] BigDyadic input(std::size_t index) const;
  [[nodiscard]] BigDyadic gain(std::size_t index) const;
  // A = sqrt(q / (q + epsilon)), the attenuation before the gain.
  [[nodiscard]] RootOfRatio attenuation() const;
  // r = 1 / sqrt(q + epsilon).
  [[nodiscard]] RootOfRatio inverse_rms() const;
  // Root mean square of the exact outputs of the row.
  [[nodiscard]] RootOfRatio output_rms() const;
  // q = S / n to 256 bits (two roundings).
  [[nodiscard]] Wide mean_square() const;
  // Compares q of this row with q of another exactly: S_a n_b against S_b n_a.
  [[nodiscard]] int compare_mean_square(const ExactRow& other) const;
  [[nodiscard]] bool all_zero() const { return sum_.sign() == 0; }

 private:
  const Case* case_;
  std::size_t row_;
  std::size_t width_;
  BigDyadic sum_;                                 // S
  std::shared_ptr<const BigDyadic> denominator_;  // S + n epsilon
};

// The exact gain offset + weight of an element; weight absent: offset does not apply, gain 1.
[[nodiscard]] BigDyadic exact_gain(const Case& value, std::size_t index);

// Whether |got - value| <= atol + rtol |value|, exactly. Requires finite got, atol, rtol >= 0.
// With rtol >= 1 the lower bound (1 - rtol)|value| is negative or zero and the comparison turns;
// both cases are decided by integers.
[[nodiscard]] bool within_tolerance(Code got, const RootOfRatio& value, const BigDyadic& atol,
                                    const BigDyadic& rtol);

// |got - value| to 256 bits, from the exact difference of squares: |got^2 - value^2| / (|got| +
// |value|), so that nothing cancels. Relative error at most 8 x 2^-256. Requires a finite got.
[[nodiscard]] Wide absolute_error(Code got, const RootOfRatio& value);

}  // namespace normcert
