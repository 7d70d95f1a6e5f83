#include "catalogue/families.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "catalogue/embedded_data.hpp"
#include "numeric/decimal.hpp"
#include "problem/epsilon.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::string_view kFamilySchema = "normcert/family/1";
constexpr std::string_view kNormKindSchema = "normcert/norm-kind/1";

// Keys that mean an epsilon of an RMSNorm only where a family says so (prophetnet's "eps" smooths
// labels), and the word for any of the others.
constexpr std::array<std::string_view, 4> kKeysOfFamilies = {
    "eps", "mixer_rms_eps", "post_norm_eps", Family::kAnyEpsilonKey};

// A word of a family file and what it stands for.
template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};

using Width = Family::Site::Width;
constexpr std::array kWidths = {
    Word<Width>{"hidden", Width::kHidden},
    Word<Width>{"head_dim", Width::kHeadDim},
    Word<Width>{"all_query_heads", Width::kAllQueryHeads},
    Word<Width>{"all_key_heads", Width::kAllKeyHeads},
    Word<Width>{"q_lora_rank", Width::kQueryRank},
    Word<Width>{"kv_lora_rank", Width::kKeyValueRank},
    Word<Width>{"vision_hidden", Width::kVisionHidden},
    Word<Width>{"linear_value_head_dim", Width::kValueHead},
    Word<Width>{"mixer", Width::kMixer},
    Word<Width>{"mixer_group", Width::kMixerGroup},
    Word<Width>{"unstated", Width::kUnstated},
};

using Repeat = Family::Site::Repeat;
constexpr std::array kRepeats = {
    Word<Repeat>{"once", Repeat::kOnce},
    Word<Repeat>{"layers", Repeat::kLayers},
    Word<Repeat>{"decoder_layers", Repeat::kDecoderLayers},
};

template <typename Value, std::size_t kCount>
Value read_word(const JsonNode& node, const std::array<Word<Value>, kCount>& words) {
  const std::string text = node.as_string();
  std::vector<std::string_view> names;
  std::string list;
  for (const auto& word : words) {
    if (word.text == text) return word.value;
    names.push_back(word.text);
    list += (list.empty() ? "" : ", ") + std::string(word.text);
  }
  throw node.unexpected("one of " + list, std::string(nearest_name(text, names)));
}

// "epsilon" and "epsilon_from": "literal", which stand together or not at all.
std::optional<Epsilon> read_literal_epsilon(const JsonNode& node, const std::string& file) {
  const auto from = node.member("epsilon_from");
  const auto epsilon = node.member("epsilon");
  if (!from && !epsilon) return std::nullopt;
  const JsonNode word = node.required("epsilon_from");
  if (word.as_string() != "literal") throw word.unexpected("literal");
  const JsonNode number = node.required("epsilon");
  return read_epsilon(number.as_string(), file, number.place());
}

std::string read_epsilon_key(const JsonNode& node) {
  std::string key = node.as_string();
  std::vector<std::string_view> keys(epsilon_keys().begin(), epsilon_keys().end());
  keys.insert(keys.end(), kKeysOfFamilies.begin(), kKeysOfFamilies.end());
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    throw node.unexpected("a known epsilon key", std::string(nearest_name(key, keys)));
  }
  return key;
}

WeightOffset read_offset(const JsonNode& node) {
  const std::string text = node.as_string();
  const auto code = read_code(text, kFp64);
  if (!code || !is_finite(*code)) throw node.unexpected("a number in quotes, such as \"1\"");
  return {text, to_binary64(*code)};
}

// {"key": "layer_types", "is": ["mamba"], "absent": true}
Family::Site::Condition read_condition(const JsonNode& node) {
  node.reject_unknown_members({"key", "is", "absent"});
  Family::Site::Condition condition;
  condition.key = node.required("key").as_string();
  for (const JsonNode& word : node.required("is").items()) {
    condition.words.push_back(word.as_string());
  }
  condition.listed_if_absent = node.required("absent").as_bool();
  return condition;
}

// What a site has of its own, beside its name and width.
void read_own_of_site(const JsonNode& node, const std::string& file, Family::Site& site) {
  site.literal_epsilon = read_literal_epsilon(node, file);
  if (const auto key = node.member("epsilon_key")) {
    if (site.literal_epsilon) throw key->error("a key beside a literal epsilon", "one of the two");
    site.epsilon_key = read_epsilon_key(*key);
  }
  if (const auto offset = node.member("weight_offset")) site.weight_offset = read_offset(*offset);
  if (const auto recipe = node.member("recipe")) site.recipe = recipe->as_string();
  if (const auto has_weight = node.member("has_weight")) site.has_weight = has_weight->as_bool();
}

Family::Site read_site(const JsonNode& node, const std::string& file) {
  node.reject_unknown_members({"name", "repeat", "width", "where", "epsilon", "epsilon_from",
                               "epsilon_key", "weight_offset", "recipe", "has_weight"});
  Family::Site site;
  site.name = node.required("name").as_string();
  site.repeat = read_word(node.required("repeat"), kRepeats);
  site.width = read_word(node.required("width"), kWidths);
  if (const auto where = node.member("where")) {
    for (const JsonNode& condition : where->items()) {
      site.where.push_back(read_condition(condition));
    }
  }
  read_own_of_site(node, file, site);
  const bool has_index = site.name.find("{i}") != std::string::npos;
  if (has_index != (site.repeat != Repeat::kOnce)) {
    throw node.required("name").unexpected("{i} where the norm is repeated, and only there");
  }
  return site;
}

std::string schema_of(const JsonDocument& document) {
  return document.root().required("schema").as_string();
}

struct Catalogue {
  std::vector<Family> families;
  std::vector<std::string> layernorm_models;  // sorted
};

Catalogue read_catalogue() {
  Catalogue catalogue;
  for (const EmbeddedFile& file : embedded_families()) {
    const JsonDocument document =
        JsonDocument::parse(std::string(file.name), std::string(file.content));
    if (schema_of(document) != kNormKindSchema) {
      catalogue.families.push_back(parse_family(document));
      continue;
    }
    const JsonNode root = document.root();
    root.reject_unknown_members({"schema", "kind", "model_types", "note", "source"});
    for (const JsonNode& type : root.required("model_types").items()) {
      catalogue.layernorm_models.push_back(type.as_string());
    }
  }
  std::sort(catalogue.layernorm_models.begin(), catalogue.layernorm_models.end());
  return catalogue;
}

const Catalogue& catalogue() {
  static const Catalogue kCatalogue = read_catalogue();
  return kCatalogue;
}

}  // namespace

Family parse_family(const JsonDocument& document) {
  const JsonNode root = document.root();
  root.reject_unknown_members({"schema", "name", "model_types", "epsilon_key", "epsilon",
                               "epsilon_from", "weight_offset", "recipe", "has_weight", "sites",
                               "parts", "note", "source"});
  const JsonNode schema = root.required("schema");
  if (schema.as_string() != kFamilySchema) throw schema.unexpected(std::string(kFamilySchema));

  Family family;
  family.name = root.required("name").as_string();
  for (const JsonMember& type : root.required("model_types").members()) {
    family.model_types.push_back({type.name, type.value.as_string()});
  }
  family.literal_epsilon = read_literal_epsilon(root, document.file());
  if (!family.literal_epsilon) {
    family.epsilon_key = read_epsilon_key(root.required("epsilon_key"));
  } else if (const auto key = root.member("epsilon_key")) {
    throw key->error("a key beside a literal epsilon", "one of the two");
  }
  family.weight_offset = read_offset(root.required("weight_offset"));
  family.recipe = root.required("recipe").as_string();
  if (const auto has_weight = root.member("has_weight")) family.has_weight = has_weight->as_bool();
  for (const JsonNode& site : root.required("sites").items()) {
    family.sites.push_back(read_site(site, document.file()));
  }
  if (const auto parts = root.member("parts")) {
    family.composite = true;
    for (const JsonMember& part : parts->members()) {
      family.parts.push_back({part.name, part.value.as_string()});
    }
  }
  family.note = root.required("note").as_string();
  family.source = root.required("source").as_string();
  return family;
}

std::span<const Family> families() { return catalogue().families; }

const Family* find_family(std::string_view model_type) {
  for (const Family& family : families()) {
    for (const Family::ModelType& type : family.model_types) {
      if (type.name == model_type) return &family;
    }
  }
  return nullptr;
}

const Family* find_family_named(std::string_view name) {
  const auto found = std::ranges::find(families(), name, &Family::name);
  return found != families().end() ? &*found : nullptr;
}

bool is_layernorm_model(std::string_view model_type) {
  const auto& names = catalogue().layernorm_models;
  return std::binary_search(names.begin(), names.end(), model_type, std::less<>());
}

}  // namespace normcert
