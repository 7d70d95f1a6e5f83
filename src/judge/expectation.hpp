// Whether the exact result of a case is what the case file says that it is.
#pragma once

#include <string>
#include <vector>

#include "problem/case.hpp"

namespace normcert {

struct ExpectationFailure {
  std::string place;     // where the expected number stands in the file
  std::string expected;  // as written there
  std::string found;     // the exact result, 12 significant digits or more
};

struct ExpectationOutcome {
  std::size_t checked = 0;  // numbers compared
  std::vector<ExpectationFailure> failures;
};

// Compares y, attenuation, output_rms, square and y_with_placement of `value.expect` (not `error`
// and `candidates`, which are about verdicts) with the exact result. Printed decimals: within half
// a unit of the last digit, decided exactly; for other placements at 256 bits.
// Throws InputError where an expectation's shape does not fit the case.
[[nodiscard]] ExpectationOutcome check_expectation(const Case& value, const std::string& file);

}  // namespace normcert
