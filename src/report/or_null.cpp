#include "report/or_null.hpp"

#include <nlohmann/json.hpp>

namespace normcert {

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace normcert
