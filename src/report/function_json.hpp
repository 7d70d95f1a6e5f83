// What elimination says in a report of `normcert verify` at level function.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "judge/function_level.hpp"

namespace normcert {

// {"headline", "rows", "of", "groups"}; the groups as in the report of `normcert diagnose`, of the
// refuted hypotheses those that come nearest.
[[nodiscard]] nlohmann::ordered_json function_json(const FunctionLevel& function);

// What the level means.
[[nodiscard]] std::string function_definition();

// Appends what a reader could otherwise believe to be decided.
void add_not_tested(const FunctionLevel& function, VerdictValue verdict,
                    nlohmann::ordered_json& not_tested);

}  // namespace normcert
