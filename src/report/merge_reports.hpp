// The reports of all parts of a run as the report of the run. Under --reproducible the same bytes
// as one run over all rows writes, but for the command line that it names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/part_reader.hpp"

namespace normcert {

// Throws InputError where the parts do not belong together (another version, other inputs, limits,
// cases, ...), where one is missing or is there twice; the message names file and place.
[[nodiscard]] nlohmann::ordered_json merge_parts(std::vector<PartReport> parts,
                                                 const std::string& rerun);

}  // namespace normcert
