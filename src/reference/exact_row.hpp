// The exact result of RMSNorm, decided by integers.
//
// With z_i = x_i (+ residual_i), S = sum z_i^2, gain g_i = offset + weight_i, all dyadic rationals,
//     y_i = g_i z_i / sqrt(S/n + epsilon),   so   y_i^2 = n g_i^2 z_i^2 / (S + n epsilon):
// y_i is the signed square root of a ratio of two exact integers (times powers of two). Every
// question about y_i - which side of a number it lies on, how it rounds, whether an output is
// faithful or within a tolerance - is a comparison of integers, and always has an answer.
//
// A gate multiplies z_i (before the norm) or y_i (after it) by an activation a(g_i). It is known to
// 320 digits and more (numeric/activation.hpp), y_i^2 lies strictly between two such ratios, and
// integers decide as before: a(g_i) is transcendental, so that y_i can lie on no number and on no
// tie. After the norm that is plain, the other factors of y_i^2 being rational; for gates before it
// see reference/gated_squares.hpp. Numbers so near to one another that the digits do not tell them
// apart do not come up by chance (2^-200); UndecidedComparison is thrown if they do.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/wide.hpp"
#include "problem/case.hpp"
#include "reference/gated_squares.hpp"
#include "reference/root_of_ratio.hpp"

namespace normcert {

// One row of a case, summed exactly. Cheap to ask about single elements.
class ExactRow {
 public:
  // Requires a case that validate() accepts and that outlives the row, a finite row, and
  // S + n epsilon > 0.
  ExactRow(const Case& value, std::size_t row);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] RootOfRatio element(std::size_t index) const;
  // x_i (+ residual_i) and offset + weight_i: exact, without a gate.
  [[nodiscard]] BigDyadic input(std::size_t index) const;
  [[nodiscard]] BigDyadic gain(std::size_t index) const;
  // What is normalised, and what that is multiplied by: the same with the activation of a gate
  // before or after the norm, which is not exact then.
  [[nodiscard]] BigDyadic normalised(std::size_t index) const;
  [[nodiscard]] BigDyadic factor(std::size_t index) const;
  // A = sqrt(q / (q + epsilon)), the attenuation before the gain.
  [[nodiscard]] RootOfRatio attenuation() const;
  // r = 1 / sqrt(q + epsilon).
  [[nodiscard]] RootOfRatio inverse_rms() const;
  // Root mean square of the exact outputs of the row.
  [[nodiscard]] RootOfRatio output_rms() const;
  // q = S / n, the mean square of what is normalised, to 256 bits (two roundings).
  [[nodiscard]] Wide mean_square() const;
  // Compares q of this row with q of another exactly: S_a n_b against S_b n_a.
  [[nodiscard]] int compare_mean_square(const ExactRow& other) const;
  [[nodiscard]] bool all_zero() const;

 private:
  [[nodiscard]] bool is_gated(GateMode mode) const {
    return case_->gate && case_->gate->mode == mode;
  }
  [[nodiscard]] Code gate(std::size_t index) const { return case_->gate->values.at(row_, index); }
  [[nodiscard]] EnclosedActivation activation(std::size_t index) const;
  [[nodiscard]] bool is_negative(std::size_t index, const BigDyadic& z, const BigDyadic& g) const;

  const Case* case_;
  std::size_t row_;
  std::size_t width_;
  // Of a row without a gate before the norm:
  BigDyadic sum_;                                 // S
  std::shared_ptr<const BigDyadic> denominator_;  // S + n epsilon
  // Of the others:
  std::shared_ptr<const GatedSquares> gated_;
};

// The exact gain offset + weight of an element; weight absent: offset does not apply, gain 1.
[[nodiscard]] BigDyadic exact_gain(const Case& value, std::size_t index);

}  // namespace normcert
