// The `expect` member of a case.
#pragma once

#include <string>

#include "formats/case_file_place.hpp"
#include "formats/json_text.hpp"
#include "problem/case.hpp"

namespace normcert {

// The refusal that a case (an object) says it meets with: expect.error, or empty. Read before
// anything else of the case.
[[nodiscard]] std::string expected_refusal(const JsonNode& case_node);

// All of `expect`. `x` gives the shape; a tensor without rows (still to be generated) fits
// anything.
[[nodiscard]] Expectation read_expectation(const JsonNode& expect, const TensorView& x,
                                           const CaseFilePlaces& places);

}  // namespace normcert
