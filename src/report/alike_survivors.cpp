#include "report/alike_survivors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/diagnose_words.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

bool any_epsilon_fits(const Json& one) {
  const Json& range = one.at("epsilon");
  return range.is_null() || range_words(range) == "any";
}

bool are_alike(const Json& a, const Json& b) {
  return any_epsilon_fits(a) && any_epsilon_fits(b) && a.at("statistic") == b.at("statistic") &&
         a.at("status") == b.at("status") && a.at("least_slack") == b.at("least_slack") &&
         a.at("strays") == b.at("strays");
}

template <typename Words>
std::vector<std::string> each_once(const AlikeSurvivors& alike, Words words) {
  std::vector<std::string> list;
  for (const Json* const one : alike.entries) {
    std::string text = words(*one);
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
  }
  return list;
}

std::string joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, " / "));
}

std::string words_of(const AlikeSurvivors& alike) {
  const Json& first = *alike.entries.front();
  if (alike.functions == 1) return function_words(first);
  const auto placement = [](const Json& one) {
    return placement_words(one.at("placement").get<std::string>());
  };
  return fmt::format("{}, {}, {}: nothing here tells these {} functions apart",
                     statistic_words(first.at("statistic").get<std::string>()),
                     joined(each_once(alike, placement)), joined(each_once(alike, rest_words)),
                     alike.functions);
}

}  // namespace

std::vector<AlikeSurvivors> alike_survivors(const Json& survivors) {
  std::vector<AlikeSurvivors> list;
  for (const Json& one : survivors) {
    const auto same = std::find_if(
        list.empty() ? list.end() : list.begin() + 1, list.end(),
        [&](const AlikeSurvivors& other) { return are_alike(*other.entries.front(), one); });
    if (same == list.end()) {
      list.push_back({{&one}, 1, {}});
    } else {
      same->entries.push_back(&one);
    }
  }
  for (AlikeSurvivors& alike : list) {
    alike.functions = each_once(alike, [](const Json& one) { return function_words(one); }).size();
    alike.words = words_of(alike);
  }
  return list;
}

std::string alternatives(const AlikeSurvivors& alike, const char* key) {
  return joined(each_once(alike, [&](const Json& one) { return one.at(key).get<std::string>(); }));
}

}  // namespace normcert
