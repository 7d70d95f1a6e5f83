#include "report/report_texts.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "problem/error.hpp"

namespace normcert {

std::optional<std::string> unless_empty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

nlohmann::ordered_json printable_texts(nlohmann::ordered_json json) {
  constexpr std::size_t kLimit = 10000;
  if (json.is_string()) return printable(json.get<std::string>(), kLimit);
  if (json.is_structured()) {
    for (auto& part : json) part = printable_texts(std::move(part));
  }
  return json;
}

}  // namespace normcert
