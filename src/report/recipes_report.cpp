#include "report/recipes_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "problem/error.hpp"
#include "report/markdown_footer.hpp"
#include "report/markdown_text.hpp"
#include "report/table.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineLimit = 10'000;  // of a path

bool is_confirmed(const Json& item) { return !item.at("confirmed_by").empty(); }

// Up to the end of the first sentence. Names have dots too, but no blank behind them.
std::string first_sentence(const std::string& note) {
  const std::size_t end = note.find(". ");
  return end == std::string::npos ? note : note.substr(0, end + 1);
}

// Broken at blanks so that no line has more than `width` bytes, unless one word has.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(std::exchange(line, ""));
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  lines.push_back(line);
  return lines;
}

constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kLeastNoteWidth = 40;

std::string list_text(const Json& report) {
  Table table{{"recipe", "version", "bits", "what it is"}, {}};
  std::size_t longest_name = 0;
  for (const Json& item : report.at("recipes")) {
    longest_name = std::max(longest_name, item.at("name").get_ref<const std::string&>().size());
  }
  const std::size_t before = longest_name + std::string_view("  version  unconfirmed  ").size();
  const std::size_t width = std::max(kLineWidth, before + kLeastNoteWidth) - before;
  for (const Json& item : report.at("recipes")) {
    std::vector<std::string> row = {item.at("name").get<std::string>(),
                                    std::to_string(item.at("version").get<int>()),
                                    is_confirmed(item) ? "confirmed" : "unconfirmed", ""};
    for (const std::string& line : wrapped(first_sentence(item.at("note")), width)) {
      row.back() = line;
      table.rows.push_back(std::exchange(row, {"", "", "", ""}));
    }
  }
  return text_table(table, 0) +
         "\nconfirmed: outputs of the real implementation have these bits (normcert recipes NAME\n"
         "tells which, or what would confirm it, and the whole note)\n";
}

std::string checked_text(const Json& report) {
  const Json& checked = report.at("checked");
  std::string text =
      fmt::format("{} is in order: recipe {}\n",
                  printable(checked.at("file").get_ref<const std::string&>(), kLineLimit),
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
