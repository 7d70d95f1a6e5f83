// Whether what a part's report says of its rows can be true: its figures are added to those of the
// other parts, and nothing else would show that one of them was damaged or changed.
//
// Checked are counts against the rows that the part has (judge/block_plan.hpp) and against each
// other, histograms by their sums, places by the rows of the part, formats, and the errors at
// witnesses, which follow from what stands there. What rests on inputs that a report does not hold
// cannot be checked: the exact results themselves.
#pragma once

#include "formats/json_text.hpp"
#include "report/verify_json.hpp"

namespace normcert {

// `json` is the report's part.totals, from which `report` was read. Throws a located InputError.
void require_consistent_totals(const JsonNode& json, const VerifyReport& report);

}  // namespace normcert
