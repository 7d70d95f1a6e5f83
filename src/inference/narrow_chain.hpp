// Statistics that are rounded to the input's format on the way: from intervals of rows' scalars to
// epsilon through every rounding.
//
// Every step from the sum of squares and epsilon to the scalar is monotone, so an interval of sums
// and an epsilon give an interval of scalars by the steps at both ends, and of epsilons that fit a
// row there is an interval, found by bisection on the codes of epsilon. The set is that of all
// epsilons with the same bits: where the format rounds, no data can show more.
#pragma once

#include <cstddef>
#include <vector>

#include "inference/epsilon_fit.hpp"
#include "inference/float_grid.hpp"

namespace normcert {

struct NarrowSteps {
  bool mean = false;     // the mean is rounded
  bool epsilon = false;  // epsilon is, before it is added
  bool sum = false;      // the mean with epsilon is
  bool root = false;     // the square root is, before the reciprocal
  bool scalar = false;   // what the tail consumes is
  bool divides = false;  // that is rms, not r
};

class NarrowChain {
 public:
  // `rows`: q the exact statistic. Rows whose interval holds no number of the format where the
  // scalar is one make it impossible(). `format`: the input's.
  NarrowChain(const std::vector<FitRow>& rows, const NarrowSteps& steps, const FloatFormat& format,
              double q_error);

  // Row that has no scalar, or rows().size().
  [[nodiscard]] std::size_t impossible_row() const { return impossible_; }
  [[nodiscard]] double slack_of(double epsilon, std::size_t* row) const;
  [[nodiscard]] LeastSlack least_slack(double enough) const;
  [[nodiscard]] RangeOfRows range(double slack) const;

 private:
  struct Scalars {
    double low = 0;
    double high = 0;
  };
  [[nodiscard]] Scalars scalars(const FitRow& row, double epsilon, double slack) const;
  [[nodiscard]] bool reaches(const FitRow& row, const Scalars& epsilons, double slack) const;
  [[nodiscard]] double narrow(double value, bool rounds) const;

  std::vector<FitRow> rows_;  // in terms of the scalar, shrunk to numbers of the format
  NarrowSteps steps_;
  FloatGrid grid_;
  double error_;
  std::size_t impossible_;
};

}  // namespace normcert
