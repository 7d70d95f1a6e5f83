// The sum of squares of a row that is gated before the norm, S = sum a(g_i)^2 z_i^2 with z_i = x_i
// (+ residual_i), and ratios with it.
//
// Activations are transcendental and only enclosed. What cancels must not be lost by that: in
//     y_i^2 = n w_i^2 z_i^2 a(g_i)^2 / (S + n epsilon)
// an element whose square is all of S has an exact y_i, and next to one a y_i may lie that needs
// more digits to be told from it than an activation has. Elements of equal g form a group, S = sum
// a_g^2 A_g with A_g = sum z_i^2 over the group, exact; then for an element of the group g
//     y_i^2 = n w_i^2 z_i^2 a_g^2 / (a_g^2 A_g + R),   R = n epsilon + what other groups add,
// grows with a_g and falls with R, so that the ends of their intervals give those of y_i^2, and its
// width is in proportion to R: to how far it lies from the exact number n w_i^2 z_i^2 / A_g.
//
// Nothing else cancels. Suppose y_i^2 is rational. All e^g are powers of one t = e^(1/N), which is
// transcendental, so a_g^2 (n w_i^2 z_i^2 - y_i^2 A_g) = y_i^2 R is an identity of rational
// functions of t. With sigmoid(g) = t^k/(1 + t^k), the squares of sigmoid(g) and sigmoid(-g) have
// poles of second order at the t with t^k = -1, and such with a primitive 2k-th root of unity at no
// smaller k; the poles of the greatest k can vanish only if the coefficients of both do. One k
// after the other: either g_i = 0 (then the activation is exact) or y_i^2 = n w_i^2 z_i^2 / A_g,
// and what else has g != 0 and z != 0 adds to R, which must be 0. That case is found and answered
// exactly. So otherwise no y_i lies on a dyadic number, nor on a tie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "numeric/activation.hpp"
#include "numeric/big_dyadic.hpp"
#include "problem/case.hpp"
#include "reference/root_of_ratio.hpp"

namespace normcert {

// Of the square of an activation: low < square < high, or all three are the square.
struct SquareBounds {
  BigDyadic low;
  BigDyadic middle;
  BigDyadic high;

  explicit SquareBounds(const EnclosedActivation& activation);
  SquareBounds() = default;
  [[nodiscard]] bool is_exact() const { return compare(low, high) == 0; }
};

class GatedSquares {
 public:
  // Requires a gate before the norm and finite numbers.
  GatedSquares(const Case& value, std::size_t row);

  // S: enclosed, or exact.
  [[nodiscard]] const SquareBounds& sum() const { return sum_; }
  [[nodiscard]] const EnclosedActivation& activation(Code g) const;
  // sqrt(numerator a_g^2 / (S + n epsilon)) for an element of the group of g other than zero.
  [[nodiscard]] RootOfRatio scaled(bool negative, const BigDyadic& numerator, Code g) const;
  // sqrt(S / (S + n epsilon)).
  [[nodiscard]] RootOfRatio attenuation() const;
  // sqrt(n / (S + n epsilon)).
  [[nodiscard]] RootOfRatio inverse_rms() const;
  // The root of the mean of all squares of outputs. `scaled_squares`: w_i^2 z_i^2 of each element.
  [[nodiscard]] RootOfRatio output_rms(const std::vector<BigDyadic>& scaled_squares) const;
  // S/n against that of another row.
  [[nodiscard]] int compare_mean(const GatedSquares& other) const;

 private:
  struct Group {
    Code g;
    EnclosedActivation activation;
    SquareBounds square;
    BigDyadic squares;  // A_g
    SquareBounds term;  // what stands for a_g^2 A_g in the sum
    bool is_dropped = false;
  };

  std::size_t group_of(Code g);
  [[nodiscard]] const Group& group(Code g) const;
  void add_up();
  [[nodiscard]] std::shared_ptr<const BigDyadic> with_epsilon(const BigDyadic& sum) const;
  [[nodiscard]] bool has_same_squares(const GatedSquares& other) const;

  std::size_t width_;
  BigDyadic added_;  // n epsilon
  std::vector<std::size_t> group_of_element_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
  SquareBounds sum_;
  std::shared_ptr<const BigDyadic> denominator_;  // of the middle
};

}  // namespace normcert
