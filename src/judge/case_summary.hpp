// The figures that describe the rows of a case: mean square, q/epsilon, attenuation.
#pragma once

#include "judge/verify_types.hpp"

namespace normcert {

// q, q/epsilon and the attenuation are correctly rounded to binary64 from 256 bits.
[[nodiscard]] CaseSummary summarise(const JudgedCase& judged);

}  // namespace normcert
