// From intervals of rows' scalars to epsilon: which freedom of the scalar one epsilon needs, the
// least that any needs, and the epsilons that a freedom leaves.
//
// A row allows the scalars low .. high; a placement says r(e), monotone in e >= 0. The slack of e
// at a row is the least relative distance, in units of 2^-24, from r(e) to the interval; over rows
// it is the greatest. The slack of one row falls to zero and rises again with e, so the greatest of
// them has one valley: it is found on a few rows, and rows that need more there are added until
// none does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/fit_extremes.hpp"

namespace normcert {

enum class EpsilonForm : std::uint8_t {
  kInside,  // on_sum too, with e / n
  kOutside,
  kAfterRsqrt,
  kClampQ,  // clamp_rms too, with e^2
  kScaledByMax,
  kNone,
  kTimesRms,  // multiplied by sqrt(q + e)
  kIdentity,  // r = 1
};

struct FitRow {
  double low = 0;  // scalars that the row allows, outward
  double high = 0;
  double q = 0;  // the statistic
  double max_magnitude = 0;
  RowKey key{};
};

struct LeastSlack {
  double slack = 0;  // *lower bound*; infinity where none up to 2^23 suffices
  double epsilon = 0;
};

struct RangeOfRows {
  EpsilonRange range;
  std::size_t low_row = 0;   // which asks for the most
  std::size_t high_row = 0;  // which allows the least
};

class EpsilonFit {
 public:
  // `q_error`: relative bound of every q. `rows` must outlive it. Adds to `extremes`, unless that
  // is nullptr, what its answers rest on.
  EpsilonFit(const std::vector<FitRow>& rows, EpsilonForm form, double q_error,
             Extremes* extremes = nullptr)
      : rows_(rows), form_(form), error_(q_error + 0x1p-49), extremes_(extremes) {
    if (extremes_ != nullptr) note(ExtremeKind::kFirst, 0, 0, 0);
  }

  // *Lower bound*. `row` is set to one that needs it, unless it is nullptr.
  [[nodiscard]] double slack_of(double epsilon, std::size_t* row) const;
  // May end early with a bound that is still true where it is above `enough`.
  [[nodiscard]] LeastSlack least_slack(double enough) const;
  // *Outward*.
  [[nodiscard]] RangeOfRows range(double slack) const;
  [[nodiscard]] EpsilonRange epsilons(double slack) const { return range(slack).range; }
  // The scalar of a row; nearest binary64.
  [[nodiscard]] double scalar(const FitRow& row, double epsilon) const;
  // Whether an answer that rests on one of `extremes` may be another one with this row.
  [[nodiscard]] bool exceeds(const FitRow& row, const std::vector<Extreme>& extremes) const;

 private:
  [[nodiscard]] bool exceeds_one(const FitRow& row, const Extreme& extreme) const;
  void note(ExtremeKind kind, double at, double value, std::size_t row) const;
  [[nodiscard]] double slack_of_row(const FitRow& row, double epsilon) const;
  [[nodiscard]] EpsilonRange range_of_row(const FitRow& row, double slack) const;
  [[nodiscard]] LeastSlack least_of(const std::vector<std::size_t>& rows) const;

  const std::vector<FitRow>& rows_;
  EpsilonForm form_;
  double error_;
  Extremes* extremes_;
};

// Whether the scalar grows with epsilon.
[[nodiscard]] bool grows_with_epsilon(EpsilonForm form);
[[nodiscard]] bool uses_epsilon(EpsilonForm form);

}  // namespace normcert
