// What scales the rows of a port's outputs: for each row the factor that y / (gain x) shows, beside
// the exact inverse RMS, and the elements that do not follow it. What a diagnosis has left to say
// where no known function gives the outputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "problem/case.hpp"
#include "problem/row_reader.hpp"

namespace normcert {

struct RowFactorView {
  std::size_t row = 0;
  double q = 0;       // mean square of the inputs (x + residual)
  double exact = 0;   // 1 / sqrt(q + epsilon), the case's epsilon (0 where none is declared)
  double factor = 0;  // mean of y / (gain x) over the elements that agree with their median; or 0
  bool all_zero = false;    // every output is zero although an input with a gain is not
  bool non_finite = false;  // an output is infinite or NaN; factor and off are not formed
};

// Binary64 arithmetic: figures for people and for symptoms, which are no verdicts. Takes memory for
// one row.
class RowFactorReader {
 public:
  // Both must outlive it.
  RowFactorReader(const Case& value, const TensorView& y);

  // None where the inputs are not finite or all zero.
  [[nodiscard]] std::optional<RowFactorView> read(std::size_t row);
  // Channels of the elements of the row read last that do not follow its factor, of how many.
  [[nodiscard]] std::span<const std::size_t> off() const { return off_; }
  [[nodiscard]] std::size_t compared() const { return compared_; }

  // What rounding alone may do, relative: to one element (at most two roundings to y's format and
  // the error of the factor), to a row's factor (six standard errors of a mean of n roundings).
  [[nodiscard]] double element_limit() const { return element_limit_; }
  [[nodiscard]] double factor_limit() const { return factor_limit_; }
  // To the factor of that row: more where it lies next to a number of few digits, which is where
  // roundings do not cancel. Times 1 + 0.4 u every x of p digits rounds to itself; next to an odd
  // multiple of 2^-k one of 2^k products lies next to a midpoint, and all of them on one side of
  // theirs.
  [[nodiscard]] double factor_limit(const RowFactorView& row) const;

 private:
  struct Ratio {
    std::size_t channel = 0;
    double value = 0;
  };

  [[nodiscard]] bool read_inputs(std::size_t row, double& q);
  void form_factor(RowFactorView& view);

  const Case& value_;
  RowReader x_rows_;
  std::optional<RowReader> residual_rows_;
  RowReader y_rows_;
  std::vector<double> gain_;
  std::vector<double> x_;
  std::vector<double> residual_;
  std::vector<double> outputs_;
  std::vector<Ratio> ratios_;
  std::vector<double> sorted_;
  std::vector<std::size_t> off_;
  std::size_t compared_ = 0;
  double element_limit_;
  double unit_;  // unit roundoff of y's format
  double factor_limit_;
  double least_;  // below it the spacing of subnormal numbers exceeds the limit of one element
};

}  // namespace normcert
