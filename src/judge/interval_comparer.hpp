// One element against an enclosure of its exact result: the fast twin of ElementComparer. It
// answers only where every number of the enclosure gives the same answers; what it counts is then
// exactly what ElementComparer counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "judge/comparison.hpp"
#include "judge/error_interval.hpp"
#include "numeric/enclosure.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// An error measure lies in [low, high]. high < 0: the element is not measured (a non-finite output;
// relative errors below the normal numbers). low < 0 <= high: it may not be.
// The closer bounds lie between the others, where they are known.
struct MeasureBounds {
  double low = -1;
  double high = -1;
  DoubleDouble closer_low{low, 0};
  DoubleDouble closer_high{high, 0};
};

struct ErrorBounds {
  MeasureBounds absolute;
  MeasureBounds relative;
  MeasureBounds ulp;
};

class IntervalComparer {
 public:
  // Both must outlive the comparer.
  IntervalComparer(const TensorView& got, const Criteria& criteria);

  // Adds all counts of one element to `into` (not `compared`, not first_outside, no maxima) and
  // returns true; where a count is not certain adds nothing and returns false.
  [[nodiscard]] bool decide(const Enclosure& y, std::size_t row, std::size_t index,
                            Comparison& into) const;

  // Lower and Upper bounds of the errors of one element, ends in binary64 (infinity where above).
  [[nodiscard]] ErrorBounds bounds(const Enclosure& y, std::size_t row, std::size_t index) const;

 private:
  // What is counted beside the rounding; nothing known: nullopt.
  struct Limits {
    bool within = true;       // the tolerance; true where none was asked for
    bool beyond_ulp = false;  // max_ulp
  };

  void decide_zero(bool negative, Code got, Comparison& into) const;
  // The two exponents of an ulp are those at the ends of the interval.
  [[nodiscard]] std::optional<Limits> limits(Code got, bool negative,
                                             const MagnitudeInterval& magnitude,
                                             std::int64_t least_ulp,
                                             std::int64_t greatest_ulp) const;
  [[nodiscard]] std::optional<bool> is_within(Code got, bool negative, const ScaledInterval& error,
                                              const MagnitudeInterval& magnitude) const;
  void count(Code got, Code rounded, bool faithful, Limits limits, Comparison& into) const;

  const TensorView& got_;
  const FloatFormat& format_;
  std::optional<double> max_ulp_;
  bool has_tolerance_ = false;
  double atol_ = 0;
  double rtol_ = 0;
  // Each one binary64 number, of magnitude in [1, 2) or zero; the last two rounded.
  ScaledDoubleDouble scaled_rtol_;
  ScaledDoubleDouble above_one_;  // 1 + rtol
  ScaledDoubleDouble below_one_;  // 1 - rtol
};

}  // namespace normcert
