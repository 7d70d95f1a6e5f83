// How much epsilon attenuates a row: A = sqrt(q / (q + epsilon)), the RMS of a normalised row whose
// mean square is q, before the gain. All inputs are exact rationals (decimal text as it is typed);
// every number that comes out is rounded once from the exact result.
//
// Checked by tests/reference/attenuation_test.cpp (values worked by hand) and
// attenuation_oracle_test.cpp (MPFR).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numeric/big_dyadic.hpp"
#include "numeric/decimal.hpp"

namespace normcert {

// numerator / denominator, both >= 0, the denominator > 0.
struct ExactRatio {
  BigDyadic numerator;
  BigDyadic denominator;
};

// Exact. The magnitude of a number read from text.
[[nodiscard]] ExactRatio magnitude_of(const ExactNumber& number);
// Exact.
[[nodiscard]] ExactRatio operator*(const ExactRatio& a, const ExactRatio& b);
[[nodiscard]] ExactRatio operator/(const ExactRatio& a, const ExactRatio& b);  // requires b != 0

// A real number as reports show it.
struct RoundedReal {
  double binary64 = 0;
  // 40 significant digits in the shape 1.2345e-02; "0" for zero. Error at most half a unit of the
  // last digit + 2^-250 relative; a terminating decimal of at most 40 digits comes out as it is.
  std::string digits;
};

// Correctly rounded (overflow to infinity), from exact integers.
[[nodiscard]] double to_binary64(const ExactRatio& value);
// Both roundings of the value itself and of its square root; the binary64 is correctly rounded,
// decided with integers.
[[nodiscard]] RoundedReal rounded(const ExactRatio& value);
[[nodiscard]] RoundedReal rounded_root(const ExactRatio& square);

struct AttenuationRow {
  double q = 0;               // correctly rounded
  double q_over_epsilon = 0;  // correctly rounded
  RoundedReal attenuation;    // A
  double loss = 0;            // 1 - A without cancellation, rounded from 256 bits
};

// Requires epsilon > 0. q = 0 gives A = 0.
[[nodiscard]] AttenuationRow attenuation_of(const ExactRatio& q, const ExactRatio& epsilon);

// y(other) / y(epsilon) = sqrt((q + epsilon) / (q + other)), one factor for the whole row, which is
// why the cosine of a row cannot see it. Nothing for q = 0: both outputs are zero.
[[nodiscard]] std::optional<RoundedReal> output_ratio(const ExactRatio& q,
                                                      const ExactRatio& epsilon,
                                                      const ExactRatio& other);

// The q / epsilon from which on no more than the fraction `loss` is lost: 1 / ((1 - d)^-2 - 1) =
// (1 - d)^2 / (1 - (1 - d)^2). Exact. Requires 0 < loss < 1.
[[nodiscard]] ExactRatio least_q_over_epsilon(const ExactRatio& loss);

}  // namespace normcert
