#include "report/attenuation_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/epsilon_json.hpp"

namespace normcert {
namespace {

using nlohmann::ordered_json;

ordered_json definitions_json() {
  return {
      {"q", "mean of the squares of a row"},
      {"attenuation", "sqrt(q / (q + epsilon)): the RMS of the normalised row, before the gain"},
      {"exact", "the same to 40 significant digits"},
      {"loss", "1 - attenuation"},
      {"least_q_over_epsilon", "1 / ((1 - d)^-2 - 1) for d = max_attenuation"},
      {"ratio",
       "y(versus) / y(epsilon) = sqrt((q + epsilon) / (q + versus)), one factor for "
       "the whole row, which its cosine cannot see; null for a row of zeros"}};
}

ordered_json row_json(const AttenuationRow& row) {
  return {{"q", row.q},
          {"q_over_epsilon", row.q_over_epsilon},
          {"attenuation", row.attenuation.binary64},
          {"exact", row.attenuation.digits},
          {"loss", row.loss}};
}

ordered_json versus_json(const std::optional<AttenuationVersus>& versus) {
  if (!versus) return nullptr;
  ordered_json table = ordered_json::array();
  for (const AttenuationVersus::Row& row : versus->table) {
    ordered_json json = row_json(row.attenuation);
    json["ratio"] = row.ratio ? ordered_json(row.ratio->binary64) : ordered_json(nullptr);
    json["ratio_exact"] = row.ratio ? ordered_json(row.ratio->digits) : ordered_json(nullptr);
    table.push_back(std::move(json));
  }
  return {{"epsilon", epsilon_json(versus->epsilon)}, {"table", std::move(table)}};
}

}  // namespace

ordered_json attenuation_json(const Envelope& envelope, const AttenuationReport& report) {
  ordered_json table = ordered_json::array();
  for (const AttenuationRow& row : report.table) table.push_back(row_json(row));
  ordered_json max_attenuation = nullptr;
  ordered_json least = nullptr;
  ordered_json least_exact = nullptr;
  if (report.limit) {
    max_attenuation = report.limit->max_attenuation;
    least = report.limit->least_q_over_epsilon.binary64;
    least_exact = report.limit->least_q_over_epsilon.digits;
  }
  ordered_json json = envelope_json(envelope);
  json["definitions"] = definitions_json();
  json["epsilon"] = epsilon_json(report.epsilon);
  json["table"] = std::move(table);
  json["max_attenuation"] = std::move(max_attenuation);
  json["least_q_over_epsilon"] = std::move(least);
  json["least_q_over_epsilon_exact"] = std::move(least_exact);
  json["versus"] = versus_json(report.versus);
  return json;
}

}  // namespace normcert
