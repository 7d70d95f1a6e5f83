// What a part's report holds beside its figures and is copied into the merged one: must be there
// and of the kind that the views show.
#pragma once

#include "formats/json_text.hpp"

namespace normcert {

// Throws a located InputError.
void require_envelope(const JsonNode& root);

}  // namespace normcert
