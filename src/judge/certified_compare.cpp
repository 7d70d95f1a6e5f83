#include "judge/certified_compare.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "judge/element_comparer.hpp"
#include "judge/interval_comparer.hpp"
#include "judge/row_factor.hpp"
#include "numeric/rounding.hpp"
#include "reference/bounded_row.hpp"
#include "reference/precise_row.hpp"

namespace normcert {
namespace {

constexpr double kRound = 0x1p-50;  // covers the few roundings of a derived figure

// |y| lies in [low, high].
struct Interval {
  LeadingBits low;
  LeadingBits high;
};

// What a maximum must reach before it is worth an exact evaluation; below zero: anything is.
double floor_of(const ErrorMaximum& maximum) {
  return maximum.any ? maximum.value.to_binary64() * (1 - kRound) : -1;
}

class CertifiedComparer {
 public:
  CertifiedComparer(const Case& value, OutputTensor tensor, const TensorView& got,
                    const Criteria& criteria)
      : case_(value),
        tensor_(tensor),
        got_(got),
        format_(*got.format),
        criteria_(criteria),
        exact_comparer_(value, got, criteria),
        interval_comparer_(got, criteria) {}

  void compare_row(std::size_t row, Comparison& into) {
    into.expected += got_.width;
    if (!row_is_finite(case_, row)) {
      ++into.rows_set_apart;
      return;
    }
    into.compared += got_.width;
    std::optional<BoundedRow> bounded;
    // Binary64 outputs need more than a binary64 bound.
    const bool fits = tensor_ == OutputTensor::kY && format_.precision <= kFp32.precision;
    if (fits) bounded = BoundedRow::of(case_, row);
    if (bounded) into.largest_bound = std::max(into.largest_bound, bounded->bound());
    std::optional<ExactRow> exact_row;
    std::optional<PreciseRow> precise;
    bool is_precise_known = false;
    RowFactor factor;
    for (std::size_t i = 0; i < got_.width; ++i) {
      const std::optional<double> y = bounded ? bounded->value(i) : std::nullopt;
      if (y && compare_by_bound(*y, bounded->bound(), row, i, factor, into)) {
        ++into.decided_by_bound;
        continue;
      }
      if (tensor_ == OutputTensor::kY && !is_precise_known) {
        is_precise_known = true;
        precise = PreciseRow::of(case_, row);
        if (precise) into.largest_bound = std::max(into.largest_bound, precise->bound());
      }
      if (compare_by_enclosure(enclosure(precise, row, i), row, i, exact_row, factor, into)) {
        ++into.decided_by_bound;
        continue;
      }
      ++into.decided_exactly;
      if (!exact_row) exact_row.emplace(case_, row);
      const RootOfRatio exact = exact_output(*exact_row, tensor_, i);
      exact_comparer_.compare(exact, row, i, into);
      factor.add(got_.at(row, i), exact);
      update_floors(into);
    }
    factor.finish(row, into);
  }

 private:
  void update_floors(const Comparison& into) {
    absolute_floor_ = floor_of(into.absolute);
    relative_floor_ = floor_of(into.relative);
    ulp_floor_ = floor_of(into.ulp);
  }

  [[nodiscard]] std::optional<Enclosure> enclosure(const std::optional<PreciseRow>& precise,
                                                   std::size_t row, std::size_t index) const {
    if (tensor_ == OutputTensor::kY) return precise ? precise->enclosure(index) : std::nullopt;
    const std::optional<ScaledDoubleDouble> sum = precise_sum(case_, row, index);
    return sum ? std::optional(Enclosure{*sum, 0}) : std::nullopt;
  }

  static bool reaches(const MeasureBounds& bounds, double floor) {
    return bounds.high >= 0 && bounds.high >= floor;
  }

  // Counts the element and returns true where the enclosure answers every question and no maximum
  // can stand here.
  bool compare_by_enclosure(const std::optional<Enclosure>& y, std::size_t row, std::size_t index,
                            std::optional<ExactRow>& exact_row, RowFactor& factor,
                            Comparison& into) const {
    if (!y) return false;
    const ErrorBounds bounds = interval_comparer_.bounds(*y, row, index);
    if (reaches(bounds.absolute, absolute_floor_) || reaches(bounds.relative, relative_floor_) ||
        reaches(bounds.ulp, ulp_floor_)) {
      return false;
    }
    const std::uint64_t outside = into.outside_tolerance;
    if (!interval_comparer_.decide(*y, row, index, into)) return false;
    if (into.outside_tolerance != outside && !into.first_outside) {
      if (!exact_row) exact_row.emplace(case_, row);
      const RootOfRatio exact = exact_output(*exact_row, tensor_, index);
      into.first_outside = exact_comparer_.witness(exact, row, index);
    }
    factor.add(got_.at(row, index), y->value);
    return true;
  }

  // True where every question about the element has one answer on the whole interval; only then
  // anything is counted.
  bool compare_by_bound(double y, double bound, std::size_t row, std::size_t index,
                        RowFactor& factor, Comparison& into) const {
    const Code got = got_.at(row, index);
    if (!is_finite(got) || got.magnitude() == 0) return false;
    const double magnitude = std::fabs(y);
    const double low = magnitude * (1 - bound);
    const double high = magnitude * (1 + bound);
    const Interval interval{leading_bits(dyadic_of(low)), leading_bits(dyadic_of(high))};
    const bool negative = y < 0;
    const std::optional<Code> rounded = rounded_alike(negative, interval, {});
    if (!rounded || !is_finite(*rounded) || rounded->magnitude() == 0) return false;
    const std::int64_t ulp = ulp_exponent(interval.low, format_);
    const bool is_normal = interval.low.exponent + 63 >= format_.emin;
    if (ulp != ulp_exponent(interval.high, format_) ||
        is_normal != (interval.high.exponent + 63 >= format_.emin)) {
      return false;
    }
    const bool correct = got == *rounded;
    const std::optional<bool> faithful =
        correct ? std::optional(true) : faithful_alike(got, negative, interval);
    if (!faithful) return false;

    const double signed_error = to_binary64(got) - y;
    const double error = std::fabs(signed_error);
    const double doubt = magnitude * bound * (1 + kRound) + error * kRound;
    const double error_low = std::max(error - doubt, 0.0);
    const double error_high = error + doubt;
    const double ulps_high = std::ldexp(error_high, static_cast<int>(-ulp));
    if (error_high >= absolute_floor_ || ulps_high >= ulp_floor_) return false;
    if (is_normal && error_high / low * (1 + kRound) >= relative_floor_) return false;

    const std::optional<bool> within = within_tolerance_alike(low, high, error_low, error_high);
    if (!within || (!*within && !into.first_outside)) return false;
    if (criteria_.max_ulp) {
      const double ulps_low = std::ldexp(error_low, static_cast<int>(-ulp));
      if (ulps_low > *criteria_.max_ulp) {
        ++into.beyond_max_ulp;
      } else if (ulps_high > *criteria_.max_ulp) {
        return false;
      }
    }
    if (!*within) ++(correct ? into.unattainable : into.outside_tolerance);
    if (correct) ++into.correctly_rounded;
    if (*faithful) ++into.faithful;
    if (!is_normal) ++into.below_normal;
    into.code_distance.add(code_distance(got, *rounded));
    factor.add(y, signed_error);
    return true;
  }

  [[nodiscard]] std::optional<Code> rounded_alike(bool negative, const Interval& interval,
                                                  RoundingRule rule) const {
    const Code low = round(negative, interval.low, format_, rule);
    if (low == round(negative, interval.high, format_, rule)) return low;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<bool> faithful_alike(Code got, bool negative,
                                                   const Interval& interval) const {
    const auto toward = rounded_alike(negative, interval, {.mode = RoundingMode::kTowardZero});
    const auto away = rounded_alike(negative, interval, {.mode = RoundingMode::kAwayFromZero});
    if (!toward || !away) return std::nullopt;
    return got == *toward || got == *away;
  }

  // True also where no tolerance was asked for.
  [[nodiscard]] std::optional<bool> within_tolerance_alike(double low, double high,
                                                           double error_low,
                                                           double error_high) const {
    if (!criteria_.tolerance) return true;
    const Tolerance& tolerance = *criteria_.tolerance;
    const double least_limit = (tolerance.atol + tolerance.rtol * low) * (1 - kRound);
    const double greatest_limit = (tolerance.atol + tolerance.rtol * high) * (1 + kRound);
    if (error_high <= least_limit) return true;
    if (error_low > greatest_limit) return false;
    return std::nullopt;
  }

  const Case& case_;
  OutputTensor tensor_;
  const TensorView& got_;
  const FloatFormat& format_;
  const Criteria& criteria_;
  ElementComparer exact_comparer_;
  IntervalComparer interval_comparer_;
  double absolute_floor_ = -1;
  double relative_floor_ = -1;
  double ulp_floor_ = -1;
};

}  // namespace

Comparison compare_certified(const Case& value, OutputTensor tensor, const TensorView& got,
                             const Criteria& criteria, std::size_t first, std::size_t count) {
  CertifiedComparer comparer(value, tensor, got, criteria);
  Comparison result;
  for (std::size_t row = first; row < first + count; ++row) comparer.compare_row(row, result);
  return result;
}

}  // namespace normcert
