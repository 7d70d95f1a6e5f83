// The views of a verify report for people, made from its JSON value alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

// A whole report: verdict first, every number explained, how to repeat it last.
[[nodiscard]] std::string verify_markdown(const nlohmann::ordered_json& report);

// For the terminal. `all`: no folding of equal lines.
[[nodiscard]] std::string verify_text(const nlohmann::ordered_json& report, bool all);

}  // namespace normcert
