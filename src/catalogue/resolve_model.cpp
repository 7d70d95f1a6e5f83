// From a config.json and a family to the sites of the model; part of catalogue/families.hpp.
#include <string>
#include <utility>

#include "catalogue/families.hpp"
#include "catalogue/site_list.hpp"
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

DeclaredEpsilon epsilon_of_site(const HfConfig& config, const Family& family,
                                const Family::Site& site, const Elsewhere& elsewhere) {
  if (site.literal_epsilon) return literal_epsilon(config, family, *site.literal_epsilon);
  if (site.epsilon_key) return epsilon_of_key(config, family, *site.epsilon_key, elsewhere);
  return epsilon_of_family(config, family, elsewhere);
}

void add_site(const HfConfig& config, const Family& family, const Elsewhere& elsewhere,
              const ListedSite& listed, Model& model) {
  const Family::Site& site = *listed.site;
  DeclaredEpsilon own = epsilon_of_site(config, family, site, elsewhere);
  model.sites.push_back({.name = listed.name,
                         .group = site.name,
                         .dim = listed.dim,
                         .epsilon = std::move(own.epsilon),
                         .epsilon_from = std::move(own.from),
                         .weight_offset = site.weight_offset.value_or(family.weight_offset),
                         .recipe = site.recipe.value_or(family.recipe),
                         .has_weight = site.has_weight.value_or(family.has_weight)});
}

InputError not_rmsnorm(const HfConfig& config, const std::string& what) {
  return config.error(what, "a model with RMSNorm", "", "not_rmsnorm");
}

// "model.norm" is "model.language_model.norm" in a composite: the name that both end in.
void leave_out_prefix(std::vector<NormSite>& sites) {
  constexpr std::string_view kPrefix = "model.";
  for (NormSite& site : sites) {
    if (!site.name.starts_with(kPrefix)) continue;
    site.name.erase(0, kPrefix.size());
    site.group.erase(0, kPrefix.size());
  }
}

// Norms beside those of the text model: the composite's own, which read the text model's epsilon,
// and those of parts that say which epsilon they have.
void add_parts(const HfConfig& config, const Family& composite, const Elsewhere& elsewhere,
               Model& model) {
  leave_out_prefix(model.sites);
  for (const ListedSite& listed : listed_sites(config, composite)) {
    add_site(config, composite, elsewhere, listed, model);
  }
  for (const Family::Part& part : composite.parts) {
    const auto section = config.part(part.section);
    const Family* const family = find_family_named(part.family);
    if (!section || !family) continue;
    const bool declared =
        family->literal_epsilon || elsewhere || !section->words(family->epsilon_key).empty();
    if (!declared) continue;
    for (const ListedSite& listed : listed_sites(*section, *family)) {
      add_site(*section, *family, elsewhere, listed, model);
    }
    std::erase(model.other_sections, part.section);
  }
}

}  // namespace

Model resolve_model(const HfConfig& config, const Family& family, const Elsewhere& elsewhere) {
  const DeclaredEpsilon declared = epsilon_of_family(config, family, elsewhere);
  Model model = model_without_sites(config);
  model.family = family.name;
  list_unused_epsilons(config, declared.from, model);
  for (const ListedSite& listed : listed_sites(config, family)) {
    add_site(config, family, elsewhere, listed, model);
  }
  if (model.sites.empty() && excludes_every_site(config, family)) {
    throw not_rmsnorm(config,
                      "a config that leaves out every RMSNorm of " + family.name + " models");
  }
  if (model.sites.empty()) {
    Family::Site all_norms;
    all_norms.name = "norm";
    add_site(config, family, elsewhere, {&all_norms, all_norms.name, model.hidden}, model);
  }
  const Family* const composite = find_family(config.composite_type());
  if (composite && composite->composite && !family.sites.empty()) {
    add_parts(config, *composite, elsewhere, model);
  }
  return model;
}

Model resolve_model(const HfConfig& config, const Elsewhere& elsewhere) {
  const Family* const family = find_family(config.model_type());
  if (family && !family->composite) {
    return resolve_model(config, *family, elsewhere);
  }
  if (is_layernorm_model(config.model_type())) {
    throw not_rmsnorm(config,
                      "the model_type \"" + config.model_type() + "\", whose norms are LayerNorm");
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
