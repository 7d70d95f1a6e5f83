// The report of `normcert diagnose` (reports/schema/diagnose.schema.json) and its views.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "judge/diagnosis.hpp"
#include "report/envelope.hpp"
#include "report/views.hpp"

namespace normcert {

// Fills in verdict and exit status of the envelope.
[[nodiscard]] nlohmann::ordered_json diagnose_report_json(
    Envelope envelope, const Diagnosis& diagnosis, const std::vector<std::string>& not_tested);

// What comes behind the envelope, in the order of the schema.
[[nodiscard]] nlohmann::ordered_json diagnose_json(const Diagnosis& diagnosis,
                                                   const std::vector<std::string>& not_tested);

extern const ReportViews kDiagnoseViews;

}  // namespace normcert
