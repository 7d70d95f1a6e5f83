#include "report/separation_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "problem/error.hpp"
#include "report/markdown_text.hpp"
#include "report/verify_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;
using Line = std::pair<std::string, std::string>;

constexpr std::size_t kLineLimit = 10'000;

Json case_json(const std::optional<SeparatingCase>& value) {
  if (!value) return {};
  return {{"case", value->id}, {"width", value->width}, {"differing", value->differing}};
}

Json equal_json(const NormSeparation& norm) {
  if (!norm.equal) return {};
  Json list = Json::array();
  for (const auto& [key, reason] : *norm.equal) {
    list.push_back({{"parameter", key}, {"reason", reason}});
  }
  return list;
}

std::string_view outcome(const NormSeparation& norm) {
  if (norm.equal) return "equal";
  return norm.most || norm.smallest ? "separated" : "not-found";
}

std::string text_of(const Json& value) { return value.get<std::string>(); }

// "bf16 rows of width 64 with a fp32 weight"
std::string inputs_of(const Json& norm) {
  const std::string weight =
      norm.at("weight_dtype").is_null()
          ? "without a weight"
          : fmt::format("with a {} weight", text_of(norm.at("weight_dtype")));
  return fmt::format("{} rows of width {} {}", text_of(norm.at("dtype")),
                     norm.at("dim").get<std::uint64_t>(), weight);
}

std::string headline(const Json& separation, const Json& norm, bool names_site) {
  const std::string result = text_of(norm.at("result"));
  std::string text = text_of(separation.at("first")) + " and " + text_of(separation.at("second"));
  if (names_site) text = text_of(norm.at("site")) + ": " + text;
  if (result == "equal") return text + " are equal on all " + inputs_of(norm) + " (proved)";
  if (result == "separated") return text + " differ on " + inputs_of(norm);
  return text + ": no difference found in " + grouped(norm.at("rows_tried").get<std::uint64_t>()) +
         " inputs, " + inputs_of(norm) + " and narrower; that does not prove them equal";
}

std::string difference(const Json& value) {
  const auto width = value.at("width").get<std::uint64_t>();
  return fmt::format("{} of {} element{} of one row ({})",
                     grouped(value.at("differing").get<std::uint64_t>()), grouped(width),
                     width == 1 ? "" : "s", text_of(value.at("case")));
}

std::string smallest(const Json& norm) {
  const bool proved = norm.at("smallest_is_proved").get<bool>();
  const Json& value = norm.at("smallest");
  const std::string text =
      value.is_null()
          ? "width " + std::to_string(norm.at("dim").get<std::uint64_t>())
          : fmt::format("width {}: {}", value.at("width").get<std::uint64_t>(), difference(value));
  return text + (proved ? "; no narrower row can differ" : "; no difference found below it");
}

std::vector<Line> lines_of(const Json& norm) {
  std::vector<Line> lines;
  if (norm.at("result") == "separated") {
    const Json& most = norm.at("most");
    lines.emplace_back("most",
                       most.is_null() ? "no difference found at this width" : difference(most));
    lines.emplace_back("smallest", smallest(norm));
  }
  if (norm.at("result") != "equal") return lines;
  const Json& reasons = norm.at("equal_because");
  for (const Json& reason : reasons) {
    lines.emplace_back("unseen",
                       text_of(reason.at("parameter")) + ": " + text_of(reason.at("reason")));
  }
  if (reasons.empty()) lines.emplace_back("unseen", "nothing: every parameter is the same");
  return lines;
}

}  // namespace

Json separation_json(const SeparationReport& report) {
  Json norms = Json::array();
  for (const NormSeparation& norm : report.norms) {
    norms.push_back({{"site", norm.site},
                     {"dim", norm.dim},
                     {"dtype", norm.dtype},
                     {"weight_dtype", norm.weight_dtype.empty() ? Json() : Json(norm.weight_dtype)},
                     {"result", outcome(norm)},
                     {"equal_because", equal_json(norm)},
                     {"most", case_json(norm.most)},
                     {"smallest", case_json(norm.smallest)},
                     {"smallest_is_proved", norm.smallest_is_proved},
                     {"rows_tried", norm.rows_tried}});
  }
  return {{"first", report.first}, {"second", report.second}, {"norms", std::move(norms)}};
}

std::string separation_text(const Json& separation) {
  const Json& norms = separation.at("norms");
  std::string text;
  for (const Json& norm : norms) {
    text += printable(headline(separation, norm, norms.size() > 1), kLineLimit) + "\n";
    for (const auto& [word, rest] : lines_of(norm)) {
      text += fmt::format("  {:<10}  {}\n", word, printable(rest, kLineLimit));
    }
  }
  return text;
}

std::string separation_markdown(const Json& separation) {
  const Json& norms = separation.at("norms");
  std::string text;
  for (const Json& norm : norms) {
    text += markdown_escaped(headline(separation, norm, norms.size() > 1), kLineLimit) + "\n\n";
    for (const auto& [word, rest] : lines_of(norm)) {
      text += "- " + word + ": " + markdown_escaped(rest, kLineLimit) + "\n";
    }
    text += "\n";
  }
  return text;
}

}  // namespace normcert
