// One case of a case file.
#pragma once

#include <cstddef>

#include "formats/case_file.hpp"
#include "formats/case_file_place.hpp"
#include "formats/json_text.hpp"
#include "problem/case.hpp"

namespace normcert {

// Throws InputError, with a code where it is a refusal that expect.error may name. `elements_left`
// is lowered by what the case takes; id and expect.error have been checked.
[[nodiscard]] Case read_case(const JsonNode& node, const CaseFileOptions& options,
                             const CaseFilePlaces& places, std::size_t& elements_left);

}  // namespace normcert
