#include "report/views.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "problem/error.hpp"
#include "report/json_writer.hpp"

namespace normcert {
namespace {

// Endings that other programs of this kind write; better named than called unknown.
constexpr std::array<std::string_view, 4> kNotAvailable = {".html", ".htm", ".xml", ".sarif"};

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

View view_of_path(std::string_view path, std::string_view option) {
  const std::string ending = small_letters(std::filesystem::path(path).extension().string());
  if (ending == ".json") return View::kJson;
  if (ending == ".md") return View::kMarkdown;
  std::string expected = "a path that ends in .json or .md";
  if (std::ranges::find(kNotAvailable, ending) != kNotAvailable.end()) {
    expected += " (" + ending + " is not available in this version)";
  }
  throw InputError({.code = "unknown_view",
                    .file = "",
                    .place = std::string(option),
                    .found = std::string(path),
                    .expected = std::move(expected),
                    .nearest = ""});
}

std::string render(View view, const nlohmann::ordered_json& report, const ReportViews& views,
                   const TextStyle& style) {
  switch (view) {
    case View::kText:
      return views.text(report, style);
    case View::kMarkdown:
      return views.markdown(report);
    case View::kJson:
      return json_text(report);
  }
  throw std::logic_error("a view that does not exist");
}

}  // namespace normcert
