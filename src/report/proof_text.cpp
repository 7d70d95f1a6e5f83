#include "report/proof_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "formats/json_text.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::size_t kLineLimit = 10'000;

std::string text_or(const JsonNode& json, std::string_view otherwise) {
  return json.is_null() ? std::string(otherwise) : json.as_string();
}

// What is refuted, and how.
struct Refuted {
  std::string title;
  JsonNode proof;
};

std::string title_of(const JsonNode& hypothesis) {
  std::string title = "refuted: statistic " + hypothesis.required("statistic").as_string() +
                      ", epsilon " + hypothesis.required("placement").as_string() + ", rounded " +
                      hypothesis.required("rounding").as_string();
  const std::string offset = text_or(hypothesis.required("weight_offset"), "");
  return offset.empty() ? title : title + ", weight offset " + offset;
}

std::vector<Refuted> refutations_of(const JsonNode& report) {
  std::vector<Refuted> declared;
  std::vector<Refuted> others;
  for (const JsonNode& group : report.required("groups").items()) {
    if (const JsonNode proof = group.required("declared_proof"); !proof.is_null()) {
      declared.push_back({"refuted: the declared epsilon", proof});
    }
    for (const JsonNode& hypothesis : group.required("refuted").items()) {
      const JsonNode proof = hypothesis.required("proof");
      if (!proof.is_null()) others.push_back({title_of(hypothesis), proof});
    }
  }
  // What a program can redo comes before what is told alone.
  std::ranges::stable_partition(
      others, [](const Refuted& one) { return !one.proof.required("python").is_null(); });
  declared.insert(declared.end(), others.begin(), others.end());
  return declared;
}

// Lines of comments: nothing in a report may end one.
std::string comment(std::string_view text) { return "# " + printable(text, kLineLimit) + "\n"; }

// A file's lines, without anything that a terminal would act upon.
std::string printable_lines(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += printable(lines.substr(0, end), kLineLimit) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

}  // namespace

std::string proof_text(const std::string& file, std::uint64_t number) {
  const JsonDocument document = JsonDocument::read(file);
  const JsonNode report = document.root();
  if (!report.is_object() || !report.member("kind") ||
      report.required("kind").as_string() != "diagnose") {
    throw report.unexpected("the JSON report of normcert diagnose");
  }
  const std::vector<Refuted> refutations = refutations_of(report);
  if (number > refutations.size()) {
    throw report.error(fmt::format("{} refutations", refutations.size()),
                       fmt::format("at least {}, to show that one", number));
  }
  const Refuted& one = refutations[number - 1];
  std::string text = comment(one.title);
  text +=
      comment(fmt::format("{}, row {}, element {}: {}", one.proof.required("site").as_string(),
                          one.proof.required("row").token(), one.proof.required("index").token(),
                          one.proof.required("text").as_string()));
  for (const JsonNode& step : one.proof.required("steps").items()) {
    text += comment("  " + step.as_string());
  }
  return text + printable_lines(text_or(one.proof.required("python"), ""));
}

}  // namespace normcert
