// Whether outputs are rounded as a recipe rounds, whatever the order of its sum.
//
// What is free: the value of the sum of squares, which n - 1 additions in any order leave within
// gamma_(n-1) of the exact one (Higham, Accuracy and Stability of Numerical Algorithms, 4.2), and
// the root. So the row's scalar lies within beta of the exact one, beta = gamma_(n+2)/2 + 8 u with
// u = 2^-24: half of the sum's relative error, the rounding of the squares, of the mean and of its
// sum with epsilon; 4 u for x + residual rounded to binary32 and what second order leaves; 4 u for
// square root and reciprocal (1 u each), or as much as an approximate reciprocal root may deviate
// (2 u for each of max_ulp; an error of d becomes at most 2 d^2 + 4 u by a Newton step). A row
// conforms if one scalar in that interval reproduces every element; nothing else is chosen but,
// of a gated norm, the activation of each element within what the recipe says of its exponential
// and division: the element must lie between what their ends give. A gate before the norm has its
// part in the sum of squares too, which then lies between the exact sums of the rows at both ends.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "emulation/emulate.hpp"
#include "emulation/tail_fit.hpp"
#include "judge/contradiction.hpp"
#include "judge/verify_types.hpp"
#include "problem/recipe.hpp"
#include "reference/row_sums.hpp"

namespace normcert {

// Whether the bound above holds for the recipe: mean of squares formed and kept in binary32 or
// better, epsilon inside the root, no rounding of the statistic to a narrower format, no reciprocal
// root with fewer than 11 digits.
[[nodiscard]] bool has_binary32_statistic(const Recipe& recipe);

// One row, to be held against several recipes: what does not depend on them is formed once. `value`
// must outlive it.
class RowConformity {
 public:
  RowConformity(const Case& value, std::size_t row);

  // As row_conforms(). `fitter`: the recipe's on all rows of the case; made where there is none
  // yet.
  [[nodiscard]] Tristate conforms(const Recipe& recipe, const TensorView& got,
                                  std::optional<TailFitter>& fitter);
  // Of a row that differs, what shows it; nothing where that is not the value of its scalar.
  [[nodiscard]] std::optional<Contradiction> contradiction(const Recipe& recipe,
                                                           const TensorView& got);

 private:
  // What a TailFitter is asked.
  struct Question {
    RowInput input;
    float low = 0;
    float high = 0;
  };
  // Enclosure of the exact inverse RMS.
  struct Scalar {
    bool known = false;
    bool decidable = false;
    double least = 0;
    double greatest = 0;
  };

  // kSame where `question` is to be answered, else the answer.
  Tristate prepare(const Recipe& recipe, const TensorView& got, Question& question);
  const Scalar& exact_scalar(const Recipe& recipe);
  void enclose(const Recipe& recipe, Scalar& scalar) const;
  // Of the sum of squares between these.
  void enclose_between(double low, double high, Scalar& scalar) const;
  // Of a gate before the norm, from the rows at both ends of its activation.
  [[nodiscard]] Scalar gated_scalar(const Recipe& recipe, const RowInput& input) const;
  [[nodiscard]] RowInput row_input() const;

  const Case& value_;
  std::size_t row_;
  RowSum sum_of_squares_;          // of x, or of x + residual exactly
  std::array<Scalar, 2> scalars_;  // of x + residual rounded to x's format, and unrounded
};

// kSame or kDiffers for one row of `got`; kUndecided where the bound does not hold (another
// statistic, a gate elsewhere or with another activation, a row whose statistic leaves binary32's
// range, n u >= 1/4, non-finite inputs, a residual of another format than x, NaN among outputs that
// could be explained by an overflow).
[[nodiscard]] Tristate row_conforms(const Recipe& recipe, const Case& value, std::size_t row,
                                    const TensorView& got);

}  // namespace normcert
