// The power of a gate in the views of `normcert verify`, from the report's JSON alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

// What the gate could see and cannot see, a line each; empty where power was not measured.
[[nodiscard]] std::string power_text(const nlohmann::ordered_json& report, bool all);

// A section with one table per group of norms.
[[nodiscard]] std::string power_markdown(const nlohmann::ordered_json& report);

}  // namespace normcert
