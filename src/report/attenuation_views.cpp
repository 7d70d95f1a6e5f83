#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "problem/error.hpp"
#include "report/attenuation_report.hpp"
#include "report/decimal_text.hpp"
#include "report/markdown_footer.hpp"
#include "report/markdown_text.hpp"
#include "report/table.hpp"

namespace normcert {
namespace {

using nlohmann::ordered_json;

constexpr const char* kDefinition =
    "A = sqrt(q / (q + epsilon)), before the gain; q is the mean square of a row, A the RMS of the "
    "normalised row";
constexpr const char* kOneFactor =
    "one factor for the whole row, which the cosine of a row cannot see";

std::string text_of(const ordered_json& report) {
  constexpr std::size_t kLimit = 40;
  return printable(report.at("epsilon").at("text").get<std::string>(), kLimit);
}

// A number that is a JSON number or the string "inf".
std::string number_text(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>());
}

std::string attenuation_text(const ordered_json& row) {
  constexpr double kLeastWithDecimals = 1e-3;
  const double value = row.at("attenuation").get<double>();
  const auto digits = row.at("exact").get<std::string>();
  return value == 0 || value >= kLeastWithDecimals ? with_decimals(digits, 6)
                                                   : with_significant_digits(digits, 6);
}

std::string ratio_text(const ordered_json& row) {
  if (row.at("ratio").is_null()) return "both 0";
  return with_significant_digits(row.at("ratio_exact").get<std::string>(), 6);
}

Table attenuation_table(const ordered_json& report) {
  Table table{{"q", "q/epsilon", "A (before the gain)", "1 - A"}, {}};
  for (const ordered_json& row : report.at("table")) {
    table.rows.push_back({number_text(row.at("q")), number_text(row.at("q_over_epsilon")),
                          attenuation_text(row),
                          fmt::format("{:#.3g}", row.at("loss").get<double>())});
  }
  return table;
}

Table versus_table(const ordered_json& report) {
  const ordered_json& versus = report.at("versus");
  const std::string first = text_of(report);
  const std::string other = text_of(versus);
  Table table{
      {"q", "A with " + first, "A with " + other, fmt::format("y({}) / y({})", other, first)}, {}};
  const ordered_json& own = report.at("table");
  const ordered_json& others = versus.at("table");
  for (std::size_t i = 0; i < own.size(); ++i) {
    table.rows.push_back({number_text(own[i].at("q")), attenuation_text(own[i]),
                          attenuation_text(others[i]), ratio_text(others[i])});
  }
  return table;
}

std::string versus_sentence(const ordered_json& report) {
  const std::string first = text_of(report);
  const std::string other = text_of(report.at("versus"));
  return fmt::format("y({0}) / y({1}) = sqrt((q + {1}) / (q + {0})), {2}", other, first,
                     kOneFactor);
}

std::string limit_sentence(const ordered_json& report) {
  const auto digits = report.at("least_q_over_epsilon_exact").get<std::string>();
  return fmt::format("at most {} is lost before the gain where q/epsilon is at least {}",
                     number_text(report.at("max_attenuation")),
                     with_significant_digits(digits, 12));
}

std::string change_text(const ordered_json& value, double declared) {
  if (value.is_string()) return "not finite";
  const double change = (value.get<double>() - declared) / declared;
  return change == 0 ? "none" : fmt::format("{:+.3g} %", 100 * change);
}

// What the declared text becomes in each format.
Table formats_table(const ordered_json& epsilon) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kFormats = {
      {{"fp32", "fp32"},
       {"bf16", "bf16"},
       {"fp16", "fp16"},
       {"fp16_flushed", "fp16, subnormals flushed"}}};
  const double declared = epsilon.at("binary64").get<double>();
  Table table{{"epsilon " + text_of({{"epsilon", epsilon}}) + " as", "value", "change"}, {}};
  table.rows.push_back(
      {"binary64", fmt::format("{} ({})", declared, epsilon.at("hex").get<std::string>()), ""});
  for (const auto& [key, name] : kFormats) {
    const ordered_json& value = epsilon.at("as").at(key);
    const std::string shown =
        value.is_string() ? value.get<std::string>() : fmt::format("{:.9g}", value.get<double>());
    table.rows.push_back({name, shown, change_text(value, declared)});
  }
  return table;
}

std::string attenuation_text_view(const ordered_json& report, const TextStyle&) {
  const bool versus = !report.at("versus").is_null();
  std::string text = fmt::format("attenuation by epsilon {}, before the gain\n", text_of(report));
  text += fmt::format("  {}\n\n", kDefinition);
  text += text_table(attenuation_table(report), 2);
  if (!report.at("least_q_over_epsilon").is_null()) {
    text += fmt::format("\n  {}\n", limit_sentence(report));
  }
  if (versus) {
    text += fmt::format("\n  {}\n\n", versus_sentence(report));
    text += text_table(versus_table(report), 2);
  }
  text += '\n' + text_table(formats_table(report.at("epsilon")), 2);
  if (versus) text += '\n' + text_table(formats_table(report.at("versus").at("epsilon")), 2);
  return text;
}

std::string attenuation_markdown(const ordered_json& report) {
  const bool versus = !report.at("versus").is_null();
  std::string text = fmt::format("# Attenuation by epsilon {}, before the gain\n\n",
                                 markdown_code(text_of(report)));
  text += fmt::format("{}.\n\n", kDefinition);
  text += markdown_table(attenuation_table(report));
  if (!report.at("least_q_over_epsilon").is_null()) {
    text += fmt::format("\nLimit: {}.\n", limit_sentence(report));
  }
  if (versus) {
    text += fmt::format("\n## Against epsilon {}\n\n", markdown_code(text_of(report.at("versus"))));
    text += fmt::format("{}.\n\n", versus_sentence(report));
    text += markdown_table(versus_table(report));
  }
  text += "\n## What epsilon becomes\n\n";
  text += markdown_table(formats_table(report.at("epsilon")));
  if (versus) text += '\n' + markdown_table(formats_table(report.at("versus").at("epsilon")));
  return text + '\n' + markdown_footer(report);
}

}  // namespace

const ReportViews kAttenuationViews = {attenuation_text_view, attenuation_markdown};

}  // namespace normcert
