#include "report/recipes_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/markdown_footer.hpp"
#include "report/markdown_text.hpp"
#include "report/table.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

bool is_confirmed(const Json& item) { return !item.at("confirmed_by").empty(); }

std::string list_text(const Json& report) {
  Table table{{"recipe", "version", "bits", "what it is"}, {}};
  for (const Json& item : report.at("recipes")) {
    table.rows.push_back(
        {item.at("name").get<std::string>(), std::to_string(item.at("version").get<int>()),
         is_confirmed(item) ? "confirmed" : "unconfirmed", item.at("note").get<std::string>()});
  }
  return text_table(table, 0) +
         "\nconfirmed: outputs of the real implementation have these bits (normcert recipes NAME\n"
         "tells which, or what would confirm it)\n";
}

std::string checked_text(const Json& report) {
  const Json& checked = report.at("checked");
  std::string text =
      fmt::format("{} is in order: recipe {}\n", checked.at("file").get<std::string>(),
                  report.at("recipes").front().at("name").get<std::string>());
  const std::string nearest = checked.at("nearest");
  if (checked.at("differences").empty()) return text + "  computes what " + nearest + " does\n";
  text += "  nearest recipe of the catalogue: " + nearest + "; it differs in\n";
  Table table{{"parameter", nearest, "here"}, {}};
  for (const Json& d : checked.at("differences")) {
    table.rows.push_back({d.at("key").get<std::string>(), d.at("from").get<std::string>(),
                          d.at("to").get<std::string>()});
  }
  return text + text_table(table, 2);
}

std::string text_view(const Json& report, const TextStyle&) {
  if (!report.at("checked").is_null()) return checked_text(report);
  if (report.at("shows_all").get<bool>()) return list_text(report);
  std::string text;
  for (const Json& item : report.at("recipes")) text += item.at("json").get<std::string>();
  return text;
}

std::string markdown_view(const Json& report) {
  std::string text = "# Recipes\n\n";
  if (report.at("shows_all").get<bool>()) {
    Table table{{"recipe", "version", "bits", "what it is"}, {}};
    for (const Json& item : report.at("recipes")) {
      table.rows.push_back({markdown_code(item.at("name").get<std::string>()),
                            std::to_string(item.at("version").get<int>()),
                            is_confirmed(item) ? "confirmed" : "unconfirmed",
                            markdown_escaped(item.at("note").get<std::string>(), 1000)});
    }
    text += markdown_table(table);
  } else if (!report.at("checked").is_null()) {
    text += markdown_code_block(checked_text(report));
  } else {
    for (const Json& item : report.at("recipes")) {
      text += markdown_code_block(item.at("json").get<std::string>()) + "\n";
    }
  }
  return text + "\n" + markdown_footer(report);
}

}  // namespace

Json recipes_report_json(const Envelope& envelope, const RecipesReport& report) {
  Json json = envelope_json(envelope);
  json["shows_all"] = report.shows_all;
  json["recipes"] = Json::array();
  for (const ShownRecipe& shown : report.recipes) {
    json["recipes"].push_back({{"name", shown.recipe.name},
                               {"version", shown.recipe.version},
                               {"note", shown.recipe.note},
                               {"confirmed_by", shown.recipe.confirmed_by},
                               {"would_confirm", shown.recipe.would_confirm},
                               {"json", shown.json}});
  }
  json["checked"] = nullptr;
  if (report.checked) {
    Json list = Json::array();
    for (const RecipeDifference& d : report.checked->differences) {
      list.push_back({{"key", d.key}, {"from", d.from}, {"to", d.to}});
    }
    json["checked"] = {{"file", report.checked->file},
                       {"nearest", report.checked->nearest},
                       {"differences", std::move(list)}};
  }
  return json;
}

const ReportViews kRecipesViews = {.text = text_view, .markdown = markdown_view};

}  // namespace normcert
