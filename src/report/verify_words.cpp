#include "report/verify_words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace normcert {

using Json = nlohmann::ordered_json;

std::string figure(const Json& number, int digits) {
  if (number.is_null()) return "-";
  if (number.is_string()) return number.get<std::string>();
  if (number.is_number_integer()) return grouped(number.get<std::uint64_t>());
  const double value = number.get<double>();
  if (value == 0) return "0";
  return fmt::format("{:.{}g}", value, digits);
}

std::string error_figure(const Json& maximum) {
  return maximum.is_null() ? "-" : figure(maximum.at("value"));
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, " ");
  return text;
}

std::string share(const Json& part, const Json& whole) {
  return grouped(part.get<std::uint64_t>()) + " of " + grouped(whole.get<std::uint64_t>());
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::vector<std::string> asked_for(const Json& report) {
  std::vector<std::string> lines;
  const Json& criteria = report.at("criteria");
  const Json& tolerance = criteria.at("tolerance");
  if (!tolerance.is_null()) {
    lines.push_back(fmt::format("every element within {} + {} |exact| of the exact result",
                                figure(tolerance.at("atol"), 17),
                                figure(tolerance.at("rtol"), 17)));
  }
  if (!criteria.at("max_ulp").is_null()) {
    lines.push_back(fmt::format("every element within {} ulp of the exact result",
                                figure(criteria.at("max_ulp"), 17)));
  }
  const std::string level = report.at("verdict").at("level");
  if (level == "function") lines.emplace_back("the same mathematical function (level function)");
  if (level == "rounding") {
    lines.emplace_back("rounded where the source recipe rounds (level rounding)");
  }
  if (level == "bits") lines.emplace_back("the same bits as the source recipe (level bits)");
  return lines;
}

std::string text_or(const Json& value, const std::string& otherwise) {
  return value.is_null() ? otherwise : value.get<std::string>();
}

}  // namespace normcert
