// One result of a part's report against the rows that the part has (report/part_checks.hpp).
#pragma once

#include "formats/json_text.hpp"
#include "judge/verify_totals.hpp"
#include "report/part_rows.hpp"

namespace normcert {

// `json` is the result that was read. Throws a located InputError where it cannot be true.
void require_consistent_result(const JsonNode& json, const ResultTotals& result,
                               const CaseTotals& of_case, const PartRows& rows,
                               const Criteria& criteria);

}  // namespace normcert
