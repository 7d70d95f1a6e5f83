#include "catalogue/recipe_file.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "numeric/float_format.hpp"
#include "problem/epsilon.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();

// Reading of one value into what it is for.

template <typename Enum>
  requires std::is_enum_v<Enum>
void read_value(const JsonNode& node, Enum& value) {
  const std::span<const std::string_view> names(EnumNames<Enum>::kNames);
  const std::string name = node.as_string();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string list;
    for (const std::string_view known : names) {
      if (!list.empty()) list += ", ";
      list += known;
    }
    throw node.unexpected("one of " + list, std::string(nearest_name(name, names)));
  }
  value = static_cast<Enum>(found - names.begin());
}

void read_value(const JsonNode& node, bool& value) { value = node.as_bool(); }

void read_value(const JsonNode& node, std::string& value) { value = node.as_string(); }

void read_value(const JsonNode& node, std::vector<std::string>& values) {
  values.clear();
  for (const JsonNode& item : node.items()) values.push_back(item.as_string());
}

template <typename Enum>
  requires std::is_enum_v<Enum>
void read_value(const JsonNode& node, std::optional<Enum>& value) {
  value.reset();
  if (!node.is_null()) read_value(node, value.emplace());
}

template <typename Enum>
  requires std::is_enum_v<Enum>
void read_value(const JsonNode& node, std::vector<Enum>& values) {
  values.clear();
  for (const JsonNode& item : node.items()) read_value(item, values.emplace_back());
}

void read_value(const JsonNode& node, SummationOrder& order);
void read_value(const JsonNode& node, StatisticStep& statistic);
void read_value(const JsonNode& node, EpsilonStep& epsilon);
void read_value(const JsonNode& node, RootStep& root);
void read_value(const JsonNode& node, WeightStep& weight);
void read_value(const JsonNode& node, ActivationStep& activation);

// Everything that follows leaves the default where the member is missing.

template <typename Value>
void read_member(const JsonNode& object, std::string_view key, Value& value) {
  if (const auto node = object.member(key)) read_value(*node, value);
}

void read_integer(const JsonNode& object, std::string_view key, int& value, int min, int max) {
  if (const auto node = object.member(key)) value = static_cast<int>(node->as_integer(min, max));
}

void read_optional_integer(const JsonNode& object, std::string_view key,
                           std::optional<int>& value) {
  const auto node = object.member(key);
  if (!node || node->is_null()) return;
  value = static_cast<int>(node->as_integer(1, kMaxInt));
}

void read_optional_text(const JsonNode& object, std::string_view key,
                        std::optional<std::string>& value) {
  const auto node = object.member(key);
  if (node && !node->is_null()) value = node->as_string();
}

void read_value(const JsonNode& node, SummationOrder& order) {
  read_value(node.required("kind"), order.kind);
  switch (order.kind) {
    case OrderKind::kSequential:
      node.reject_unknown_members({"kind", "fma"});
      break;
    case OrderKind::kPairwise:
      node.reject_unknown_members({"kind", "base"});
      break;
    case OrderKind::kLanes:
      node.reject_unknown_members({"kind", "lanes", "accumulators", "tail", "combine", "fma"});
      break;
    case OrderKind::kTorchCascade:
      node.reject_unknown_members({"kind", "lanes"});
      break;
    case OrderKind::kBlockTree:
      node.reject_unknown_members(
          {"kind", "threads", "vector", "per_element", "warp", "across", "fma"});
      break;
    case OrderKind::kAny:
      node.reject_unknown_members({"kind", "depth"});
      break;
    case OrderKind::kTorchCudaMean:
      node.reject_unknown_members({"kind", "threads"});
      (void)node.required("threads");  // the kernel's choice, for which there is no usual one
      break;
    case OrderKind::kTriton:
      node.reject_unknown_members({"kind", "threads", "vector", "fma"});
      (void)node.required("threads");
      break;
  }
  read_integer(node, "base", order.base, 1, 1 << 20);
  read_integer(node, "lanes", order.lanes, 1, 1024);
  read_integer(node, "accumulators", order.accumulators, 1, 64);
  read_member(node, "tail", order.tail);
  read_member(node, "combine", order.combine);
  read_integer(node, "threads", order.threads, 1, 1024);
  read_integer(node, "vector", order.vector, 1, 64);
  read_member(node, "per_element", order.per_element);
  read_member(node, "warp", order.warp);
  read_member(node, "across", order.across);
  read_member(node, "fma", order.fma);
  read_optional_integer(node, "depth", order.depth);
}

void read_value(const JsonNode& node, StatisticStep& statistic) {
  node.reject_unknown_members(
      {"kind", "group", "fraction", "square", "accumulate", "order", "mean"});
  read_member(node, "kind", statistic.kind);
  read_optional_integer(node, "group", statistic.group);
  if (const auto fraction = node.member("fraction"); fraction && !fraction->is_null()) {
    statistic.fraction = fraction->as_double();
    if (!(*statistic.fraction > 0 && *statistic.fraction <= 1)) {
      throw fraction->unexpected("a number above 0, at most 1");
    }
  }
  read_member(node, "square", statistic.square);
  read_member(node, "accumulate", statistic.accumulate);
  read_member(node, "order", statistic.order);
  read_member(node, "mean", statistic.mean);
}

void read_value(const JsonNode& node, EpsilonStep& epsilon) {
  node.reject_unknown_members({"position", "dtype", "preset"});
  read_member(node, "position", epsilon.position);
  read_member(node, "dtype", epsilon.dtype);
  read_optional_text(node, "preset", epsilon.preset);
}

void read_value(const JsonNode& node, RootStep& root) {
  node.reject_unknown_members({"kind", "rounding", "max_ulp", "newton_steps"});
  read_member(node, "kind", root.kind);
  read_member(node, "rounding", root.rounding);
  // Beyond 2^20 ulp a binary32 estimate has fewer than four digits.
  read_integer(node, "max_ulp", root.max_ulp, 1, 1 << 20);
  read_integer(node, "newton_steps", root.newton_steps, 0, 8);
}

void read_value(const JsonNode& node, WeightStep& weight) {
  node.reject_unknown_members({"form", "offset_dtype", "bias"});
  read_member(node, "form", weight.form);
  read_member(node, "offset_dtype", weight.offset_dtype);
  read_member(node, "bias", weight.bias);
}

void read_value(const JsonNode& node, ActivationStep& activation) {
  node.reject_unknown_members({"kind", "form", "exponential", "max_ulp", "division_max_ulp"});
  read_member(node, "kind", activation.kind);
  read_member(node, "form", activation.form);
  read_member(node, "exponential", activation.exponential);
  read_integer(node, "max_ulp", activation.max_ulp, 0, 1 << 20);
  read_integer(node, "division_max_ulp", activation.division_max_ulp, 0, 1 << 20);
}

void read_descriptions(const JsonNode& root, Recipe& recipe) {
  const JsonNode schema = root.required("schema");
  if (schema.as_string() != kRecipeSchema) {
    throw schema.unexpected('"' + std::string(kRecipeSchema) + '"');
  }
  const JsonNode name = root.required("name");
  recipe.name = name.as_string();
  // What stands on a command line and in file names, and is no pattern.
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  if (recipe.name.empty() || recipe.name.find_first_not_of(kAllowed) != std::string::npos) {
    throw name.unexpected("a name of letters, digits and . _ + -");
  }
  if (recipe.name == kReferenceRounded) {
    throw name.unexpected("another name: this one stands for the exact result, rounded once");
  }
  read_integer(root, "version", recipe.version, 1, kMaxInt);
  read_member(root, "note", recipe.note);
  read_member(root, "source", recipe.source);
  read_member(root, "confirmed_by", recipe.confirmed_by);
  read_member(root, "would_confirm", recipe.would_confirm);
}

// The node of "statistic.order.fma", or the nearest one above that is there.
JsonNode node_of(const JsonNode& root, std::string_view key) {
  JsonNode node = root;
  while (!key.empty() && node.is_object()) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    const auto member = node.member(key.substr(0, dot));
    if (!member) break;
    node = *member;
    key.remove_prefix(std::min(dot + 1, key.size()));
  }
  return node;
}

}  // namespace

Recipe read_recipe(const JsonDocument& document) {
  const JsonNode root = document.root();
  root.reject_unknown_members({"schema",        "name",
                               "version",       "note",
                               "source",        "confirmed_by",
                               "would_confirm", "convert_inputs",
                               "compute",       "before",
                               "statistic",     "epsilon",
                               "root",          "statistic_rounding",
                               "association",   "cast",
                               "weight",        "residual",
                               "gate",          "activation",
                               "output",        "rounding",
                               "flush",         "rsqrt_table",
                               "contract"});
  Recipe recipe;
  read_descriptions(root, recipe);
  read_member(root, "convert_inputs", recipe.convert_inputs);
  read_member(root, "compute", recipe.compute);
  read_member(root, "before", recipe.before);
  read_member(root, "statistic", recipe.statistic);
  read_member(root, "epsilon", recipe.epsilon);
  read_member(root, "root", recipe.root);
  read_member(root, "statistic_rounding", recipe.statistic_rounding);
  read_member(root, "association", recipe.association);
  read_member(root, "cast", recipe.cast);
  read_member(root, "weight", recipe.weight);
  read_member(root, "residual", recipe.residual);
  read_member(root, "gate", recipe.gate);
  read_member(root, "activation", recipe.activation);
  read_member(root, "output", recipe.output);
  read_member(root, "rounding", recipe.rounding);
  read_member(root, "flush", recipe.flush);
  read_member(root, "rsqrt_table", recipe.rsqrt_table);
  read_member(root, "contract", recipe.contract);

  if (recipe.epsilon.preset) {
    const JsonNode preset = node_of(root, "epsilon.preset");
    (void)read_epsilon(*recipe.epsilon.preset, document.file(), preset.place());
  }
  if (const auto conflict = find_conflict(recipe)) {
    throw node_of(root, conflict->key)
        .error(conflict->key + ": " + conflict->reason, "parameters that go together", "",
               "recipe_conflict");
  }
  return recipe;
}

Recipe read_recipe_file(const std::filesystem::path& path) {
  return read_recipe(JsonDocument::read(path));
}

std::string recipe_json(const Recipe& recipe) {
  std::string json = "{\n  \"schema\": \"" + std::string(kRecipeSchema) + '"';
  for (const RecipeMember& member : descriptions_of(recipe)) {
    json += ",\n  \"" + member.key + "\": " + member.json;
  }
  std::string open;  // the object that is being written
  for (const RecipeMember& member : parameters_of(recipe)) {
    const std::size_t dot = member.key.find('.');
    const std::string object = dot == std::string::npos ? "" : member.key.substr(0, dot);
    const std::string key = dot == std::string::npos ? member.key : member.key.substr(dot + 1);
    const bool first = object != open && !object.empty();
    if (object != open && !open.empty()) json += "\n  }";
    if (first) json += ",\n  \"" + object + "\": {";
    open = object;
    json += first ? "\n" : ",\n";
    json += (object.empty() ? "  \"" : "    \"") + key + "\": " + member.json;
  }
  if (!open.empty()) json += "\n  }";
  return json + "\n}\n";
}

}  // namespace normcert
