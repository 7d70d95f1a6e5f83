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

  friend bool operator==(const NarrowSteps&, const NarrowSteps&) = default;
};

class NarrowChain {
 public:
  // `rows`: q the exact statistic. Rows whose interval holds no number of the format where the
  // scalar is one make it impossible(). `format`: the input's. Adds to `extremes`, unless that is
  // nullptr, what its answers rest on.
  NarrowChain(const std::vector<FitRow>& rows, const NarrowSteps& steps, const FloatFormat& format,
              double q_error, Extremes* extremes = nullptr);

  // Row that has no scalar, or rows().size().
  [[nodiscard]] std::size_t impossible_row() const { return impossible_; }
  [[nodiscard]] double slack_of(double epsilon, std::size_t* row) const;
  [[nodiscard]] LeastSlack least_slack(double enough) const;
  [[nodiscard]] RangeOfRows range(double slack) const;
  [[nodiscard]] EpsilonRange epsilons(double slack) const;  // of range()
  // Whether an answer that rests on one of `extremes` may be another one with this row.
  [[nodiscard]] bool exceeds(const FitRow& row, const std::vector<Extreme>& extremes) const;

 private:
  struct Scalars {
    double low = 0;
    double high = 0;
  };
  struct Ends {
    double least = 0;  // negative: not known, the last row asks for more than any
    double greatest = 0;
    std::size_t low_row = 0;
    std::size_t high_row = 0;
    std::size_t end = 0;  // the first row without any epsilon, or the number of rows
    // Where all epsilons between the ends are one tie: the first row that reaches() denies it.
    std::size_t tie_row = 0;

    [[nodiscard]] bool is_one_tie() const;
    [[nodiscard]] EpsilonRange range(std::size_t rows) const;
  };
  [[nodiscard]] FitRow in_terms_of_scalar(FitRow row) const;
  [[nodiscard]] bool exceeds_one(const FitRow& row, const Extreme& extreme) const;
  // Whether epsilon is not below (is above) what the row leaves.
  [[nodiscard]] bool great_enough(const FitRow& row, double epsilon, double slack) const;
  [[nodiscard]] bool too_great(const FitRow& row, double epsilon, double slack) const;
  [[nodiscard]] bool has_none(const FitRow& row, double slack) const;
  [[nodiscard]] bool fits(const FitRow& row, double epsilon, double slack) const;
  [[nodiscard]] Ends ends(double slack) const;
  void note(const Extreme& extreme) const;
  // The answer with the rows that it names or without, and the rows at both ends alone.
  void note_range(double slack, const Ends& found, bool names_rows) const;
  void note_ends(const Ends& found) const;
  [[nodiscard]] RowKey key(std::size_t row) const {
    return row < rows_.size() ? rows_[row].key : kNoRow;
  }
  [[nodiscard]] Scalars scalars(const FitRow& row, double epsilon, double slack) const;
  [[nodiscard]] bool reaches(const FitRow& row, const Scalars& epsilons, double slack) const;
  [[nodiscard]] double narrow(double value, bool rounds) const;

  std::vector<FitRow> rows_;  // in terms of the scalar, shrunk to numbers of the format
  NarrowSteps steps_;
  FloatGrid grid_;
  double error_;
  std::size_t impossible_;
  Extremes* extremes_;
};

}  // namespace normcert
