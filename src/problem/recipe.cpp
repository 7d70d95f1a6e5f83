#include "problem/recipe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

std::string json_value(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string json = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20) {
      json += "\\u00";
      json += kHexDigits[byte >> 4];
      json += kHexDigits[byte & 0xF];
      continue;
    }
    if (character == '"' || character == '\\') json += '\\';
    json += character;
  }
  return json + '"';
}

std::string json_value(const std::string& text) { return json_value(std::string_view(text)); }

// Shortest text that reads back to the same number.
std::string json_value(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string json_value(int value) { return std::to_string(value); }

std::string json_value(bool value) { return value ? "true" : "false"; }

template <typename Enum>
  requires std::is_enum_v<Enum>
std::string json_value(Enum value) {
  return json_value(name_of(value));
}

template <typename Value>
std::string json_value(const std::optional<Value>& value) {
  return value ? json_value(*value) : "null";
}

template <typename Value>
std::string json_value(const std::vector<Value>& values) {
  std::string json = "[";
  for (const Value& value : values) {
    if (json.size() > 1) json += ", ";
    json += json_value(value);
  }
  return json + ']';
}

std::string json_value(const SummationOrder& order) {
  std::string json = R"({"kind": )" + json_value(order.kind);
  const auto add = [&json](std::string_view key, const auto& value) {
    json += ", " + json_value(key) + ": " + json_value(value);
  };
  switch (order.kind) {
    case OrderKind::kSequential:
      add("fma", order.fma);
      break;
    case OrderKind::kPairwise:
      add("base", order.base);
      break;
    case OrderKind::kLanes:
      add("lanes", order.lanes);
      add("accumulators", order.accumulators);
      add("tail", order.tail);
      add("combine", order.combine);
      add("fma", order.fma);
      break;
    case OrderKind::kTorchCascade:
      add("lanes", order.lanes);
      break;
    case OrderKind::kBlockTree:
      add("threads", order.threads);
      add("vector", order.vector);
      add("per_element", order.per_element);
      add("warp", order.warp);
      add("across", order.across);
      add("fma", order.fma);
      break;
    case OrderKind::kAny:
      add("depth", order.depth);
      break;
    case OrderKind::kTorchCudaMean:
      add("threads", order.threads);
      break;
    case OrderKind::kTriton:
      add("threads", order.threads);
      add("vector", order.vector);
      add("fma", order.fma);
      break;
  }
  return json + '}';
}

// How one parameter is shown, and copied from one recipe to another.
struct Parameter {
  std::string_view key;
  std::string (*json)(const Recipe& recipe);
  void (*copy)(Recipe& to, const Recipe& from);
};

// A parameter that is an enumeration or has a json_value().
template <auto kMember>
constexpr Parameter top(std::string_view key) {
  return {key, [](const Recipe& recipe) { return json_value(recipe.*kMember); },
          [](Recipe& to, const Recipe& from) { to.*kMember = from.*kMember; }};
}

template <auto kStep, auto kMember>
constexpr Parameter of(std::string_view key) {
  return {key, [](const Recipe& recipe) { return json_value(recipe.*kStep.*kMember); },
          [](Recipe& to, const Recipe& from) { to.*kStep.*kMember = from.*kStep.*kMember; }};
}

constexpr auto kStatistic = &Recipe::statistic;
constexpr auto kEpsilon = &Recipe::epsilon;
constexpr auto kRoot = &Recipe::root;
constexpr auto kWeight = &Recipe::weight;
constexpr auto kActivation = &Recipe::activation;

constexpr auto kParameters = std::to_array<Parameter>({
    top<&Recipe::convert_inputs>("convert_inputs"),
    top<&Recipe::compute>("compute"),
    top<&Recipe::before>("before"),
    of<kStatistic, &StatisticStep::kind>("statistic.kind"),
    of<kStatistic, &StatisticStep::group>("statistic.group"),
    of<kStatistic, &StatisticStep::fraction>("statistic.fraction"),
    of<kStatistic, &StatisticStep::square>("statistic.square"),
    of<kStatistic, &StatisticStep::accumulate>("statistic.accumulate"),
    of<kStatistic, &StatisticStep::order>("statistic.order"),
    of<kStatistic, &StatisticStep::mean>("statistic.mean"),
    of<kEpsilon, &EpsilonStep::position>("epsilon.position"),
    of<kEpsilon, &EpsilonStep::dtype>("epsilon.dtype"),
    of<kEpsilon, &EpsilonStep::preset>("epsilon.preset"),
    of<kRoot, &RootStep::kind>("root.kind"),
    of<kRoot, &RootStep::rounding>("root.rounding"),
    of<kRoot, &RootStep::max_ulp>("root.max_ulp"),
    of<kRoot, &RootStep::newton_steps>("root.newton_steps"),
    top<&Recipe::statistic_rounding>("statistic_rounding"),
    top<&Recipe::association>("association"),
    top<&Recipe::cast>("cast"),
    of<kWeight, &WeightStep::form>("weight.form"),
    of<kWeight, &WeightStep::offset_dtype>("weight.offset_dtype"),
    of<kWeight, &WeightStep::bias>("weight.bias"),
    top<&Recipe::residual>("residual"),
    top<&Recipe::gate>("gate"),
    of<kActivation, &ActivationStep::kind>("activation.kind"),
    of<kActivation, &ActivationStep::form>("activation.form"),
    of<kActivation, &ActivationStep::exponential>("activation.exponential"),
    of<kActivation, &ActivationStep::max_ulp>("activation.max_ulp"),
    of<kActivation, &ActivationStep::division_max_ulp>("activation.division_max_ulp"),
    top<&Recipe::output>("output"),
    top<&Recipe::rounding>("rounding"),
    top<&Recipe::flush>("flush"),
    top<&Recipe::rsqrt_table>("rsqrt_table"),
    top<&Recipe::contract>("contract"),
});

}  // namespace

bool operator==(const SummationOrder& a, const SummationOrder& b) {
  return json_value(a) == json_value(b);
}

bool divides_by_rms(Association association) {
  return association == Association::kXOverRmsW || association == Association::kXwOverRms ||
         association == Association::kWOverRmsX;
}

bool has_fma(OrderKind kind) {
  return kind == OrderKind::kSequential || kind == OrderKind::kLanes ||
         kind == OrderKind::kBlockTree || kind == OrderKind::kTriton;
}

bool contracts(const Recipe& recipe, Contraction what) {
  return std::find(recipe.contract.begin(), recipe.contract.end(), what) != recipe.contract.end();
}

std::vector<RecipeMember> descriptions_of(const Recipe& recipe) {
  return {
      {"name", json_value(recipe.name)},
      {"version", json_value(recipe.version)},
      {"note", json_value(recipe.note)},
      {"source", json_value(recipe.source)},
      {"confirmed_by", json_value(recipe.confirmed_by)},
      {"would_confirm", json_value(recipe.would_confirm)},
  };
}

std::vector<RecipeMember> parameters_of(const Recipe& recipe) {
  std::vector<RecipeMember> members;
  members.reserve(kParameters.size());
  for (const Parameter& parameter : kParameters) {
    members.push_back({std::string(parameter.key), parameter.json(recipe)});
  }
  return members;
}

Recipe with_parameter(const Recipe& recipe, const Recipe& other, std::string_view key) {
  Recipe changed = recipe;
  for (const Parameter& parameter : kParameters) {
    if (parameter.key == key) parameter.copy(changed, other);
  }
  return changed;
}

std::vector<RecipeDifference> differences(const Recipe& from, const Recipe& to) {
  std::vector<RecipeDifference> found;
  for (const Parameter& parameter : kParameters) {
    std::string before = parameter.json(from);
    std::string after = parameter.json(to);
    if (before == after) continue;
    found.push_back({std::string(parameter.key), std::move(before), std::move(after)});
  }
  return found;
}

}  // namespace normcert
