#include "report/verify_words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "numeric/decimal.hpp"
#include "numeric/interval_text.hpp"

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

std::string interval_words(const Json& low, const Json& high, int digits) {
  if (low.is_number() && high.is_number()) {
    return interval_text(low.get<double>(), high.get<double>(), digits);
  }
  return low == high ? figure(low, digits) : figure(low, digits) + " .. " + figure(high, digits);
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

std::string shortest(const Json& number) {
  return number.is_number() ? shortest_decimal(number.get<double>()) : text_or(number, "-");
}

std::vector<std::string> asked_for(const Json& report) {
  std::vector<std::string> lines;
  const Json& criteria = report.at("criteria");
  const Json& tolerance = criteria.at("tolerance");
  if (!tolerance.is_null()) {
    lines.push_back("|got - exact| <= " + shortest(tolerance.at("atol")) + " + " +
                    shortest(tolerance.at("rtol")) + " |exact| for every element");
  }
  if (!criteria.at("max_ulp").is_null()) {
    lines.push_back("|got - exact| <= " + shortest(criteria.at("max_ulp")) +
                    " ulp for every element");
  }
  const std::string level = report.at("verdict").at("level");
  if (level == "function") lines.emplace_back("the same mathematical function (level function)");
  if (level == "rounding") {
    lines.emplace_back(
        "the declared function, rounded where the source recipe rounds (level rounding)");
  }
  if (level == "bits") lines.emplace_back("the same bits as the source recipe (level bits)");
  return lines;
}

std::string where(const Json& item, const char* id_key) {
  const std::string id = item.at(id_key);
  const std::string site = text_or(item.at("site"), "");
  return !site.empty() && id.ends_with("/" + site) ? site : id;
}

namespace {

// ", times silu(gate) after the norm", where the cases have one.
std::string gate_words(const Json& report) {
  std::string words;
  for (const Json& one : report.at("cases")) {
    const Json& gate = one.at("gate");
    if (gate.is_null()) continue;
    const std::string own = ", times " + gate.at("activation").get<std::string>() + "(gate) " +
                            gate.at("mode").get<std::string>() + " the norm";
    if (!words.empty() && words != own) return ", times activations of gates";
    words = own;
  }
  return words;
}

}  // namespace

std::string declared(const Json& report) {
  const Json& model = report.at("model");
  if (model.is_null() || model.at("sites").empty()) return "";
  const Json& site = model.at("sites").front();
  bool alike = true;
  for (const Json& other : model.at("sites")) {
    alike = alike && other.at("epsilon") == site.at("epsilon") &&
            other.at("weight_offset") == site.at("weight_offset");
  }
  const std::string offset = text_or(site.at("weight_offset"), "not stated");
  std::string text = "epsilon " + site.at("epsilon").at("text").get<std::string>() + " (" +
                     text_or(site.at("epsilon_from"), "not stated") + ") inside the root, gain = " +
                     (offset == "0" ? "weight" : offset + " + weight");
  text += gate_words(report);
  if (!alike) text += "; other norms declare other values, see the report";
  return text;
}

std::string part_words(const Json& report) {
  const Json& part = report.at("part");
  return "part " + std::to_string(part.at("index").get<std::uint64_t>()) + " of " +
         std::to_string(part.at("of").get<std::uint64_t>());
}

std::string text_or(const Json& value, const std::string& otherwise) {
  return value.is_null() ? otherwise : value.get<std::string>();
}

}  // namespace normcert
