// The two views of a diagnosis; parts of report/diagnose_report.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

// Of a report whose texts are printable.
[[nodiscard]] std::string diagnose_text(const nlohmann::ordered_json& report, bool all);
[[nodiscard]] std::string diagnose_markdown(const nlohmann::ordered_json& report);

// One of the report's "groups": what fits, how it is rounded, how strong that is, and the proof.
[[nodiscard]] std::string diagnosed_group_text(const nlohmann::ordered_json& group, bool all);
[[nodiscard]] std::string diagnosed_group_markdown(const nlohmann::ordered_json& group);

// "layers.0.input_layernorm, row 54, element 45; redo it with a calculator", of a "proof".
[[nodiscard]] std::string proof_place(const nlohmann::ordered_json& proof);

}  // namespace normcert
