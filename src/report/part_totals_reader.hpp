// The totals in the report of a part (report/part_json.hpp), read back.
#pragma once

#include "formats/json_text.hpp"
#include "judge/verify_totals.hpp"

namespace normcert {

// Fills in rows and results of the cases; `totals` has one entry for each case of the run. Throws a
// located InputError.
void read_totals(const JsonNode& json, VerifyTotals& totals);

// A count or a number of something.
[[nodiscard]] std::size_t read_count(const JsonNode& json);
// Empty for null.
[[nodiscard]] std::string text_or_empty(const JsonNode& json);

}  // namespace normcert
