#include "report/merge_reports.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "problem/error.hpp"
#include "report/build_info.hpp"
#include "report/json_writer.hpp"
#include "report/verify_report.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

// What every part of a run says alike.
constexpr std::array<std::string_view, 13> kAlike = {
    "/tool/version", "/part/of",  "/inputs",  "/overrides", "/verdict/level", "/criteria", "/model",
    "/definitions",  "/findings", "/refused", "/part/run",  "/cases",         "/power"};
// Of a case, what depends on the rows that a part has.
constexpr std::array<std::string_view, 5> kOfRows = {"rows_non_finite", "q", "q_over_epsilon",
                                                     "attenuation", "expectation"};

InputError part_error(const std::string& file, std::string place, std::string found,
                      std::string expected) {
  return InputError({.code = "parts",
                     .file = file,
                     .place = std::move(place),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = ""});
}

std::string shown(const Json& json) {
  return json.is_structured() ? std::string(json.is_array() ? "an array of " : "an object of ") +
                                    std::to_string(json.size())
                              : json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// The first place at which two values differ; `a` and `b` become what stands there.
std::string first_difference(const Json*& a, const Json*& b, std::string place) {
  while (a->is_structured() && a->type() == b->type()) {
    const Json* inner_a = nullptr;
    const Json* inner_b = nullptr;
    if (a->is_array()) {
      if (a->size() != b->size()) return place;
      for (std::size_t i = 0; i < a->size() && inner_a == nullptr; ++i) {
        if ((*a)[i] == (*b)[i]) continue;
        place += '[' + std::to_string(i) + ']';
        inner_a = &(*a)[i];
        inner_b = &(*b)[i];
      }
    } else {
      for (const auto& [key, value] : a->items()) {
        const auto other = b->find(key);
        if (other == b->end()) return place;
        if (value == *other) continue;
        place += (place.empty() ? "" : ".") + key;
        inner_a = &value;
        inner_b = &*other;
        break;
      }
    }
    if (inner_a == nullptr) return place;  // a key more in b
    a = inner_a;
    b = inner_b;
  }
  return place;
}

Json without_rows(Json cases) {
  for (Json& item : cases) {
    for (const std::string_view key : kOfRows) item.erase(std::string(key));
  }
  return cases;
}

void require_alike(const PartReport& first, const PartReport& other) {
  for (const std::string_view key : kAlike) {
    const Json::json_pointer pointer{std::string(key)};
    Json expected = first.json->at(pointer);
    Json found = other.json->at(pointer);
    if (key == "/cases") {
      expected = without_rows(std::move(expected));
      found = without_rows(std::move(found));
    }
    if (expected == found) continue;
    std::string name(key.substr(1));
    std::ranges::replace(name, '/', '.');
    const Json* a = &expected;
    const Json* b = &found;
    const std::string place = first_difference(a, b, std::move(name));
    throw part_error(other.file, place, shown(*b), shown(*a) + ", as in " + first.file);
  }
}

void require_every_part_once(const std::vector<PartReport>& parts) {
  const std::size_t of = parts.front().report.part->of;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t index = parts[i].report.part->index;
    if (index != parts[i - 1].report.part->index) continue;
    throw part_error(parts[i].file, "part.index",
                     std::to_string(index) + ", which " + parts[i - 1].file + " is too",
                     "every part once");
  }
  constexpr std::size_t kShown = 8;
  std::string missing;
  std::size_t count = 0;
  auto part = parts.begin();
  for (std::size_t index = 1; index <= of; ++index) {
    if (part != parts.end() && part->report.part->index == index) {
      ++part;
    } else if (++count <= kShown) {
      missing += (missing.empty() ? "" : ", ") + std::to_string(index);
    }
  }
  if (count > kShown) missing += ", ...";
  if (count == 0) return;
  throw part_error("", "", "no report of part " + missing + " of " + std::to_string(of),
                   "every part once");
}

void require_this_version(const PartReport& part) {
  const std::string version = part.json->at("tool").at("version");
  if (version == build_info().version) return;
  throw part_error(part.file, "tool.version", version,
                   std::string(build_info().version) + ", the version that merges");
}

// As far as conclude() asks.
VerifyRequest request_of(const VerifyReport& report, const std::vector<std::string>& mutants) {
  VerifyRequest request;
  for (const CaseTotals& of_case : report.totals) {
    JudgedCase& judged = request.cases.emplace_back();
    judged.value.id = of_case.summary.id;
    judged.value.expect.candidates = of_case.summary.expected_verdicts;
  }
  for (const std::string& name : report.candidates) request.candidates.push_back({name, {}});
  for (const std::string& name : mutants) request.mutants.push_back({name, {}});
  request.criteria = report.criteria;
  request.level = report.level;
  return request;
}

// Recipes that were judged are recipes that were named.
void require_known_names(const PartReport& part) {
  for (const CaseTotals& of_case : part.report.totals) {
    for (const ResultTotals& result : of_case.results) {
      const bool is_mutant = result.role == Role::kMutant;
      const std::vector<std::string>& names = is_mutant ? part.mutants : part.report.candidates;
      if (result.role == Role::kObserved || std::ranges::count(names, result.candidate) > 0) {
        continue;
      }
      throw part_error(part.file, is_mutant ? "controls" : "part.run.candidates",
                       "no " + result.candidate, "the recipes of all results");
    }
  }
}

// What the report shows must be what its totals give.
void require_own_figures(const PartReport& part) {
  VerifyReport report = part.report;
  report.outcome = conclude(request_of(report, part.mutants), report.totals);
  if (report.power) judge_power(*report.power, report.outcome);
  Envelope envelope;
  envelope.kind = "verify";
  const Json told = Json::parse(json_text(verify_report_json(std::move(envelope), report)));
  for (const char* const key :
       {"verdict", "exit_status", "headline", "definitions", "coverage", "reference", "cases",
        "results", "controls", "claims", "power", "not_tested"}) {
    const Json* expected = &told.at(key);
    const Json* found = &part.json->at(key);
    if (*expected == *found) continue;
    const std::string place = first_difference(expected, found, key);
    throw part_error(part.file, place, shown(*found), shown(*expected) + ", as part.totals give");
  }
}

// The command line that made the report, but for which part it is.
std::string rerun_of_whole(const PartReport& part) {
  std::string line = part.json->at("rerun").get<std::string>();
  constexpr std::string_view kOption = " --part ";
  const std::size_t begin = line.find(kOption);
  if (begin == std::string::npos) return line;
  return line.erase(begin, line.find(' ', begin + kOption.size()) - begin);
}

void require_same_command(const PartReport& first, const PartReport& other) {
  if (rerun_of_whole(other) == rerun_of_whole(first)) return;
  throw part_error(other.file, "rerun", shown(other.json->at("rerun")),
                   shown(first.json->at("rerun")) + " but for --part, as in " + first.file);
}

}  // namespace

Json merge_parts(std::vector<PartReport> parts, const std::string& rerun) {
  for (const PartReport& part : parts) {
    require_this_version(part);
    require_alike(parts.front(), part);
    require_same_command(parts.front(), part);
    require_known_names(part);
    require_own_figures(part);
  }
  std::ranges::stable_sort(parts, {}, [](const PartReport& p) { return p.report.part->index; });
  require_every_part_once(parts);

  VerifyReport report = std::move(parts.front().report);
  bool reproducible = !parts.front().json->contains("environment");
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (std::size_t c = 0; c < report.totals.size(); ++c) {
      report.totals[c].merge(parts[i].report.totals[c]);
    }
    reproducible = reproducible && !parts[i].json->contains("environment");
  }
  report.part.reset();
  report.outcome = conclude(request_of(report, parts.front().mutants), report.totals);
  if (report.power) judge_power(*report.power, report.outcome);

  Envelope envelope;
  envelope.kind = "verify";
  envelope.rerun = rerun;
  envelope.reproducible = reproducible;
  Json json = verify_report_json(std::move(envelope), report);
  for (const char* const key : {"inputs", "overrides", "findings", "model", "refused"}) {
    json[key] = parts.front().json->at(key);
  }
  return json;
}

}  // namespace normcert
