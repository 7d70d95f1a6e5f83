// From the bound of a row and the maxima so far to the constants of a screen (judge/screen.hpp).
#pragma once

#include "judge/comparison.hpp"
#include "judge/screen.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

// Values that some element is known to reach: whatever stays below cannot be a maximum. Negative:
// none is known yet.
struct ErrorFloors {
  double absolute = -1;
  double relative = -1;
  double ulp = -1;

  // Raises the floors to what the searches have found.
  void raise(const Comparison& found);
};

// m of a screen in Real's arithmetic where r itself is off by at most `row_bound` (for binary32: at
// most kGreatestRowError); *upper bound*, see reference/error_bounds.hpp.
template <typename Real>
[[nodiscard]] double element_bound(double row_bound);

// Everything but the floors, which list every element until set_floors(), and `greatest`, whose
// infinity does so in binary32. `bound` is m; 0 where y^
// is exact.
template <typename Real>
[[nodiscard]] ScreenLimits<Real> screen_limits(double r, double bound, const FloatFormat& format,
                                               const Criteria& criteria);

// Sets the floors, leaving everything else. Infinite ones: no element is listed for its error.
template <typename Real>
void set_floors(const ErrorFloors& floors, const FloatFormat& format, ScreenLimits<Real>& limits);

// Whether the binary32 screen's assumptions hold for these limits (a tolerance within its range).
[[nodiscard]] bool fits_binary32(const Criteria& criteria);

}  // namespace normcert
