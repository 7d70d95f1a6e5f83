// JSON Schemas checked by another program, python3-jsonschema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace normcert {

[[nodiscard]] bool validator_is_there();

// One line per report of an array: "ok", or what the validator objects to. A test failure where
// `schema` itself is not valid.
[[nodiscard]] std::vector<std::string> validated(const std::string& schema,
                                                 const nlohmann::json& reports);

}  // namespace normcert
