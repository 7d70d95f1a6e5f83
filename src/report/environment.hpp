// What the figures of a report were computed with: the one part of it that depends on the machine,
// left out by --reproducible. No host or user names.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace normcert {

// {"commit", "compiler", "flags", "cpu", "os"}, null where not known.
[[nodiscard]] nlohmann::ordered_json environment_json();

}  // namespace normcert
