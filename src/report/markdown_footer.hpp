// How every Markdown report ends: how to make it again and what it was made with.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

[[nodiscard]] std::string markdown_footer(const nlohmann::ordered_json& report);

}  // namespace normcert
