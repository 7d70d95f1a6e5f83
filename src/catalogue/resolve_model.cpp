// From a config.json and a family to the sites of the model; part of catalogue/families.hpp.
#include <algorithm>
#include <string>
#include <utility>

#include "catalogue/families.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

using Elsewhere = std::optional<EpsilonFromElsewhere>;

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string list_of_epsilon_keys() {
  std::vector<std::string> names;
  for (const std::string_view key : epsilon_keys()) names.emplace_back(key);
  return joined(names);
}

// " (the file holds vision_config.layer_norm_eps)"
std::string found_instead(const HfConfig& config, const std::vector<std::string>& present) {
  std::vector<std::string> paths;
  for (const std::string& key : present) paths.push_back(config.path_of(key));
  const std::vector<std::string> others = config.epsilon_paths_elsewhere();
  paths.insert(paths.end(), others.begin(), others.end());
  return paths.empty() ? "" : " (the file holds " + joined(paths) + ")";
}

std::string class_default_of(const Family& family, std::string_view model_type) {
  for (const Family::ModelType& type : family.model_types) {
    if (type.name == model_type) return type.class_default;
  }
  return {};
}

struct DeclaredEpsilon {
  Epsilon epsilon;
  std::string from;
};

DeclaredEpsilon literal_epsilon(const HfConfig& config, const Family& family,
                                const Epsilon& epsilon) {
  const std::string& models = config.model_type().empty() ? family.name : config.model_type();
  return {epsilon, "literal " + epsilon.text + " in the code of " + models + " models"};
}

InputError ambiguous_epsilon(const HfConfig& config, const std::vector<std::string>& keys) {
  std::string list;
  for (const std::string& key : keys) {
    list += (list.empty() ? "" : ", ") + config.path_of(key) + " = " + config.text(key);
  }
  const std::string type =
      config.model_type().empty() ? "" : " of the type \"" + config.model_type() + "\"";
  return config.error(
      list, "one epsilon (nothing says which of them a model" + type + " reads; --epsilon decides)",
      "", "ambiguous_epsilon");
}

// Without a family every known key counts, as long as they agree.
DeclaredEpsilon epsilon_of_any_key(const HfConfig& config, const Elsewhere& elsewhere) {
  const std::vector<std::string> keys = config.present_epsilon_keys();
  std::optional<DeclaredEpsilon> declared;
  for (const std::string& key : keys) {
    Epsilon epsilon = config.epsilon(key).value();
    if (!declared) {
      declared = {std::move(epsilon), "config key " + config.path_of(key)};
    } else if (epsilon.binary64 != declared->epsilon.binary64) {
      if (elsewhere) return {elsewhere->epsilon, elsewhere->from};
      throw ambiguous_epsilon(config, keys);
    }
  }
  if (declared) return *declared;
  if (elsewhere) return {elsewhere->epsilon, elsewhere->from};
  throw config.error("no epsilon" + found_instead(config, {}),
                     "one of " + list_of_epsilon_keys() + " (or --epsilon)", "", "missing_epsilon");
}

// `key` is the family's, or the one that a site has of its own.
DeclaredEpsilon epsilon_of_key(const HfConfig& config, const Family& family, const std::string& key,
                               const Elsewhere& elsewhere) {
  if (key == Family::kAnyEpsilonKey) return epsilon_of_any_key(config, elsewhere);
  // What null stands for is in no file: an epsilon from elsewhere counts there too.
  if (elsewhere && config.is_null(key)) return {elsewhere->epsilon, elsewhere->from};
  if (auto epsilon = config.epsilon(key)) {
    return {std::move(*epsilon), "config key " + config.path_of(key)};
  }
  if (elsewhere) return {elsewhere->epsilon, elsewhere->from};
  std::string expected = "the key that " + family.name + " models read";
  const std::string filled_in =
      key == family.epsilon_key ? class_default_of(family, config.model_type()) : "";
  if (!filled_in.empty()) {
    expected +=
        " (transformers fills in " + filled_in + "; --epsilon " + filled_in + " declares that)";
  }
  throw config.error(
      "no " + config.path_of(key) + found_instead(config, config.present_epsilon_keys()),
      std::move(expected), "", "missing_epsilon");
}

DeclaredEpsilon epsilon_of_family(const HfConfig& config, const Family& family,
                                  const Elsewhere& elsewhere) {
  if (family.literal_epsilon) return literal_epsilon(config, family, *family.literal_epsilon);
  return epsilon_of_key(config, family, family.epsilon_key, elsewhere);
}

Model model_without_sites(const HfConfig& config) {
  Model model;
  model.source = config.file();
  model.section = config.section();
  model.model_type = config.model_type();
  model.dtype = config.dtype();
  model.hidden = config.hidden().value_or(0);
  model.layers = config.layers().value_or(0);
  model.other_sections = config.other_sections();
  return model;
}

void list_unused_epsilons(const HfConfig& config, const std::string& used_from, Model& model) {
  for (const std::string& key : config.present_epsilon_keys()) {
    if (used_from == "config key " + config.path_of(key)) continue;
    model.unused_epsilons.push_back({config.path_of(key), config.text(key)});
  }
}

// 0 where the config does not say: what a configuration class fills in is not guessed.
std::size_t heads_width(const HfConfig& config, std::optional<std::size_t> heads) {
  if (!heads) return 0;
  if (const auto head_dim = config.count({"head_dim"})) return *heads * *head_dim;
  // Every class with a norm over all heads divides the hidden size where head_dim is absent
  // (transformers: olmo2, olmo3).
  const auto query_heads = config.count({"num_attention_heads"});
  if (!query_heads || !config.hidden() || *config.hidden() % *query_heads != 0) return 0;
  return *heads * (*config.hidden() / *query_heads);
}

std::size_t width_of(const HfConfig& config, Family::Site::Width width) {
  using Width = Family::Site::Width;
  const auto query_heads = [&] { return config.count({"num_attention_heads"}); };
  switch (width) {
    case Width::kHidden:
      return config.hidden().value_or(0);
    case Width::kHeadDim:
      return config.count({"head_dim"}).value_or(0);
    case Width::kAllQueryHeads:
      return heads_width(config, query_heads());
    case Width::kAllKeyHeads: {
      const auto key_heads = config.count({"num_key_value_heads"});
      return heads_width(config, key_heads ? key_heads : query_heads());
    }
    case Width::kQueryRank:
      return config.count({"q_lora_rank"}).value_or(0);
    case Width::kKeyValueRank:
      return config.count({"kv_lora_rank"}).value_or(0);
    case Width::kUnstated:
      return 0;
  }
  return 0;
}

bool exists(const HfConfig& config, const Family::Site& site) {
  using Width = Family::Site::Width;
  const bool without = (site.width == Width::kQueryRank && config.is_null("q_lora_rank")) ||
                       (site.width == Width::kKeyValueRank && config.is_null("kv_lora_rank"));
  return !without;
}

// Copies of the site; none where the config does not say how many layers there are.
std::size_t copies_of(const HfConfig& config, Family::Site::Repeat repeat) {
  using Repeat = Family::Site::Repeat;
  switch (repeat) {
    case Repeat::kOnce:
      return 1;
    case Repeat::kLayers:
      return config.layers().value_or(0);
    case Repeat::kDecoderLayers:
      return config.decoder_layers().value_or(0);
  }
  return 0;
}

std::string with_index(std::string name, std::size_t index) {
  const std::size_t place = name.find("{i}");
  if (place != std::string::npos) name.replace(place, 3, std::to_string(index));
  return name;
}

}  // namespace

Model resolve_model(const HfConfig& config, const Family& family, const Elsewhere& elsewhere) {
  const DeclaredEpsilon declared = epsilon_of_family(config, family, elsewhere);
  Model model = model_without_sites(config);
  model.family = family.name;
  list_unused_epsilons(config, declared.from, model);

  const auto add_site = [&](const Family::Site& site, std::size_t index, std::size_t dim) {
    DeclaredEpsilon own = declared;
    if (site.literal_epsilon) own = literal_epsilon(config, family, *site.literal_epsilon);
    if (site.epsilon_key) own = epsilon_of_key(config, family, *site.epsilon_key, elsewhere);
    model.sites.push_back({.name = with_index(site.name, index),
                           .group = site.name,
                           .dim = dim,
                           .epsilon = own.epsilon,
                           .epsilon_from = own.from,
                           .weight_offset = site.weight_offset.value_or(family.weight_offset),
                           .recipe = site.recipe.value_or(family.recipe),
                           .has_weight = site.has_weight.value_or(family.has_weight)});
  };
  // Norms that are repeated alike and stand side by side belong to one layer: layer by layer.
  for (auto first = family.sites.begin(); first != family.sites.end();) {
    const auto last = std::find_if(first, family.sites.end(), [&](const Family::Site& site) {
      return site.repeat != first->repeat;
    });
    const std::size_t copies = copies_of(config, first->repeat);
    for (std::size_t i = 0; i < copies; ++i) {
      for (auto site = first; site != last; ++site) {
        if (exists(config, *site)) add_site(*site, i, width_of(config, site->width));
      }
    }
    first = last;
  }
  if (model.sites.empty()) {
    Family::Site all_norms;
    all_norms.name = "norm";
    add_site(all_norms, 0, model.hidden);
  }
  return model;
}

Model resolve_model(const HfConfig& config, const Elsewhere& elsewhere) {
  if (const Family* const family = find_family(config.model_type())) {
    return resolve_model(config, *family, elsewhere);
  }
  if (is_layernorm_model(config.model_type())) {
    throw config.error("the model_type \"" + config.model_type() + "\", whose norms are LayerNorm",
                       "a model with RMSNorm", "", "not_rmsnorm");
  }
  const DeclaredEpsilon declared = epsilon_of_any_key(config, elsewhere);
  Model model = model_without_sites(config);
  model.family = "unknown";
  list_unused_epsilons(config, declared.from, model);
  model.sites.push_back({.name = "norm",
                         .group = "norm",
                         .dim = model.hidden,
                         .epsilon = declared.epsilon,
                         .epsilon_from = declared.from,
                         .weight_offset = std::nullopt,
                         .recipe = {}});
  return model;
}

}  // namespace normcert
