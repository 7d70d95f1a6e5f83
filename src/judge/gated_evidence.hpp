// Level function for gated norms: elimination has no gates, so that the classes of kernels that
// compute the declared gated norm (inference/conforming_set.hpp) say whether a port does, and a
// bound of the error of every one of them whether it cannot.
#pragma once

#include "judge/function_level.hpp"
#include "judge/verify_totals.hpp"

namespace normcert {

// `result`: of tensor y by the subject; nullptr where there is none.
[[nodiscard]] FunctionEvidence gated_evidence(const JudgedCase& judged, const ResultTotals* result,
                                              unsigned threads);

// Whether the element of the greatest ulp error is further from the exact result than any way to
// compute the declared gated norm in binary32 leads to: *proven* where its activation and what is
// rounded on the way are normal numbers of the formats, else false.
[[nodiscard]] bool is_beyond_every_kernel(const FunctionEvidence& evidence,
                                          const SubjectResult& result);

}  // namespace normcert
