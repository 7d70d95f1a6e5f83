// Texts of reports: those that may be missing, and those that come from files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace normcert {

[[nodiscard]] std::optional<std::string> unless_empty(const std::string& text);

// The same value with all texts printable: names come from files, and nothing that a terminal would
// act upon may reach it.
[[nodiscard]] nlohmann::ordered_json printable_texts(nlohmann::ordered_json json);

}  // namespace normcert
