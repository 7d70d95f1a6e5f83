// The views of a report value: JSON is the value itself, everything else is made from it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace normcert {

enum class View : std::uint8_t { kText, kJson, kMarkdown };

struct TextStyle {
  bool color = false;  // terminal escapes allowed
  bool all = false;    // no folding of equal lines
};

// How a kind of report is shown to people. Both get the report value, nothing else.
struct ReportViews {
  std::string (*text)(const nlohmann::ordered_json& report, const TextStyle& style);
  std::string (*markdown)(const nlohmann::ordered_json& report);
};

// What the ending of a report's path asks for: .json or .md, in small or capital letters. Throws
// InputError with `option` as its place for every other ending.
[[nodiscard]] View view_of_path(std::string_view path, std::string_view option);

[[nodiscard]] std::string render(View view, const nlohmann::ordered_json& report,
                                 const ReportViews& views, const TextStyle& style);

}  // namespace normcert
