// The power of a gate in a report of `normcert verify`: written, and read again from parts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "formats/json_text.hpp"
#include "judge/power.hpp"

namespace normcert {

// {"rows", "groups", "caught", "of"}; `caught` of `of` required defects, over all groups.
[[nodiscard]] nlohmann::ordered_json power_json(const Power& power);

// What power_json() wrote. Throws InputError with the place of what it cannot have written.
[[nodiscard]] Power read_power(const JsonNode& json);

// What "power" means.
[[nodiscard]] std::string power_definition();

// Appends what a reader could otherwise believe to have been tried.
void add_not_tried(const Power& power, nlohmann::ordered_json& not_tested);

}  // namespace normcert
