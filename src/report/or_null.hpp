// Text that may be missing, in reports: null where it is empty.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

[[nodiscard]] nlohmann::ordered_json or_null(const std::string& text);

}  // namespace normcert
