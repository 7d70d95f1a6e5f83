// The report of `normcert verify` (reports/schema/verify.schema.json) and its views.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/envelope.hpp"
#include "report/verify_json.hpp"
#include "report/views.hpp"

namespace normcert {

// Fills in verdict and exit status of the envelope: 0 accepted, 1 rejected, 3 inconclusive (0 where
// that is allowed).
[[nodiscard]] nlohmann::ordered_json verify_report_json(Envelope envelope,
                                                        const VerifyReport& report);

extern const ReportViews kVerifyViews;

}  // namespace normcert
