// From what was found to what is said of it.
#pragma once

#include "judge/verify_types.hpp"

namespace normcert {

// Rows beyond the range of binary32 statistics and the sweep over amplitudes show where an
// implementation ends; no port is held to them.
[[nodiscard]] bool is_measured_only(std::string_view class_name);

// Sets equality.function, verdict and reasons of one result whose comparison is complete.
void judge_result(const CaseSummary& summary, const Criteria& criteria, Level level,
                  SubjectResult& result);

// VerdictValue and reasons of the whole run (interface rule 7).
void judge_run(const VerifyRequest& request, VerifyOutcome& outcome);

}  // namespace normcert
