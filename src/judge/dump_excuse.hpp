// Limits, rounding and bits of a float32 dump depend on the format in which its numbers are read:
// what is rejected in one only is not known to be wrong.
#pragma once

#include <span>

#include "judge/verify_types.hpp"

namespace normcert {

// Makes every rejection of an observed output inconclusive that does not hold in each of the
// formats that the dump fits (judge/dump_formats.hpp), and says which; that of a function is
// elimination's own matter. `stored`: the cases of the request as they were captured. The outcome
// is of all of the request's rows.
void excuse_dumps(const VerifyRequest& request, std::span<const JudgedCase> stored,
                  VerifyOutcome& outcome);

}  // namespace normcert
