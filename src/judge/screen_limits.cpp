#include "judge/screen_limits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/error_bounds.hpp"

namespace normcert {
namespace {

template <typename Real>
struct Traits;
template <>
struct Traits<float> {
  static constexpr int kPrecision = 24;
  static constexpr int kBias = 127;
  // Covers the few roundings of a derived constant and of the comparison that uses it.
  static constexpr double kSlack = 0x1p-18;
};
template <>
struct Traits<double> {
  static constexpr int kPrecision = 53;
  static constexpr int kBias = 1023;
  static constexpr double kSlack = 0x1p-46;
};

template <typename Real>
using IntegerOf = typename ScreenLimits<Real>::Integer;

// The integer against which bits(error) - exponent field(y) is held: the place of `value`, an error
// divided by the power of two of y, among the numbers of Real.
template <typename Real>
IntegerOf<Real> place_of(double value) {
  using Integer = IntegerOf<Real>;
  const auto narrow = static_cast<Real>(value);
  const auto bits = std::bit_cast<Integer>(narrow);
  return bits - (static_cast<Integer>(Traits<Real>::kBias) << (Traits<Real>::kPrecision - 1));
}

// An ulp error in units of the power of two of y: ulp_T(y) = 2^(e - p + 1).
double per_power(double ulps, const FloatFormat& format) {
  return std::ldexp(ulps, 1 - format.precision);
}

}  // namespace

void ErrorFloors::raise(const Comparison& found) {
  absolute = std::max(absolute, found.absolute_search.floor());
  relative = std::max(relative, found.relative_search.floor());
  ulp = std::max(ulp, found.ulp_search.floor());
}

template <>
double element_bound<float>(double) {
  return kBinary32ScreenBound;
}
template <>
double element_bound<double>(double row_bound) {
  return binary64_screen_bound(row_bound);
}

template <typename Real>
ScreenLimits<Real> screen_limits(double r, double bound, const FloatFormat& format,
                                 const Criteria& criteria) {
  using T = Traits<Real>;
  const double m = bound;
  ScreenLimits<Real> limits;
  limits.r = static_cast<Real>(r);
  limits.bound = static_cast<Real>(m * (1 + T::kSlack));
  // |y^ - y| <= m |y| is at most m 2^p codes, twice as many below a power of two; one more for the
  // rounding of scaled subnormals and one for safety.
  limits.margin = static_cast<IntegerOf<Real>>(std::ceil(m * std::ldexp(1.0, T::kPrecision))) + 2;
  limits.ulp_floor = std::numeric_limits<IntegerOf<Real>>::min();
  if (criteria.tolerance) {
    limits.has_tolerance = true;
    limits.atol = static_cast<Real>(criteria.tolerance->atol);
    limits.rtol = static_cast<Real>(criteria.tolerance->rtol);
    limits.tolerance_doubt =
        static_cast<Real>(m * (1 + criteria.tolerance->rtol) * (1 + T::kSlack) * (1 + 0x1p-10));
  }
  if (criteria.max_ulp) {
    const double limit = per_power(*criteria.max_ulp, format);
    // The error is off by at most m |y| < 2 m 2^e.
    const double within = (limit - 2 * m) * (1 - T::kSlack);
    const double beyond = (limit + 2 * m) * (1 + T::kSlack);
    limits.has_max_ulp = true;
    limits.ulp_within =
        within > 0 ? place_of<Real>(within) : std::numeric_limits<IntegerOf<Real>>::min();
    limits.ulp_beyond = place_of<Real>(beyond);
    limits.zero_error_is_within = within > 0 || m == 0;
  }
  return limits;
}

template <typename Real>
void set_floors(const ErrorFloors& floors, const FloatFormat& format, ScreenLimits<Real>& limits) {
  using T = Traits<Real>;
  const double m = static_cast<double>(limits.bound);
  using Integer = IntegerOf<Real>;
  constexpr Integer kEverything = std::numeric_limits<Integer>::min();
  if (std::isinf(floors.absolute)) {
    limits.absolute_floor = std::numeric_limits<Real>::infinity();
    limits.relative_factor = std::numeric_limits<Real>::infinity();
    limits.ulp_floor = std::numeric_limits<Integer>::max();
    return;
  }
  const auto lowered = [](double floor) { return floor * (1 - T::kSlack); };
  limits.absolute_floor =
      floors.absolute < 0 ? Real{-1} : static_cast<Real>(lowered(floors.absolute));
  limits.relative_factor =
      floors.relative < 0 ? Real{-1} : static_cast<Real>(lowered(floors.relative) * (1 - m) - m);
  const double ulp = lowered(per_power(floors.ulp, format)) - 2 * m;
  if (ulp > 0) {
    limits.ulp_floor = place_of<Real>(ulp);
  } else {
    // No error so far and none in y^: any error exceeds the absolute floor, which is 0 too.
    const bool exact = floors.ulp == 0 && m == 0;
    limits.ulp_floor = exact ? std::numeric_limits<Integer>::max() : kEverything;
  }
}

bool fits_binary32(const Criteria& criteria) {
  const auto fits = [](double value) {
    return value == 0 || (value >= 0x1p-100 && value <= 0x1p100);
  };
  if (criteria.tolerance && !(fits(criteria.tolerance->atol) && fits(criteria.tolerance->rtol))) {
    return false;
  }
  return !criteria.max_ulp || fits(*criteria.max_ulp);
}

template ScreenLimits<float> screen_limits(double, double, const FloatFormat&, const Criteria&);
template ScreenLimits<double> screen_limits(double, double, const FloatFormat&, const Criteria&);
template void set_floors(const ErrorFloors&, const FloatFormat&, ScreenLimits<float>&);
template void set_floors(const ErrorFloors&, const FloatFormat&, ScreenLimits<double>&);

}  // namespace normcert
