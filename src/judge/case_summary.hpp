// The figures that describe the rows of a case: mean square, q/epsilon, attenuation.
#pragma once

#include "judge/verify_types.hpp"

namespace normcert {

// What is known without looking at the rows.
[[nodiscard]] CaseSummary describe(const JudgedCase& judged);

// The whole of it, over the rows that are judged. q, q/epsilon and the attenuation are correctly
// rounded to binary64 from 256 bits; the medians of more than 4096 rows are within
// Spread::median_within.
[[nodiscard]] CaseSummary summarise(const JudgedCase& judged);

}  // namespace normcert
