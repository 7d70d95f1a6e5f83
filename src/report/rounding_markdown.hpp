// The section of a verify report on outputs that are not rounded as the source recipe rounds: what
// explains them, and the elements that show it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

// From the JSON report; empty where the level is not rounding, or all is rounded like the source.
[[nodiscard]] std::string rounding_markdown(const nlohmann::ordered_json& report);

// The inputs of an element as a cell: "`x` + `residual`, gate `g`".
[[nodiscard]] std::string input_cell(const nlohmann::ordered_json& element);

}  // namespace normcert
