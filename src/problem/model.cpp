#include "problem/model.hpp"

#include <algorithm>
#include <utility>

#include "problem/error.hpp"

namespace normcert {
namespace {

// "model.norm" ends in "norm", but not in "orm".
bool ends_in(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() && name.ends_with(ending) &&
         name[name.size() - ending.size() - 1] == '.';
}

bool same_offset(const std::optional<WeightOffset>& a, const std::optional<WeightOffset>& b) {
  return a.has_value() == b.has_value() && (!a || a->binary64 == b->binary64);
}

using Sites = std::vector<const NormSite*>;

bool share_epsilon(const Sites& sites) {
  return std::all_of(sites.begin(), sites.end(), [&](const NormSite* site) {
    return site->epsilon.binary64 == sites.front()->epsilon.binary64;
  });
}

NormSite shared_site(const Sites& sites, std::string_view name) {
  NormSite shared = *sites.front();
  shared.name = name;
  shared.group = name;
  for (const NormSite* site : sites) {
    if (site->dim != shared.dim) shared.dim = 0;
    if (!same_offset(site->weight_offset, shared.weight_offset)) shared.weight_offset.reset();
    if (site->recipe != shared.recipe) shared.recipe.clear();
    // A weight is asked for where any of the sites has one.
    shared.has_weight = shared.has_weight || site->has_weight;
  }
  // One site that stands for all norms says nothing about the width of one with another name.
  if (sites.size() == 1) shared.dim = 0;
  return shared;
}

// The sites that the name can mean: itself, else those that end in it, else the longest one that it
// ends in, else all of them.
Sites sites_meant(const Model& model, std::string_view name, SiteMatchKind& kind) {
  Sites all;
  Sites shorter_named;  // sites that end in the name
  const NormSite* longest = nullptr;
  for (const NormSite& site : model.sites) {
    if (site.name == name) {
      kind = SiteMatchKind::kSameName;
      return {&site};
    }
    all.push_back(&site);
    if (ends_in(site.name, name)) shorter_named.push_back(&site);
    if (ends_in(name, site.name) && (!longest || site.name.size() > longest->name.size())) {
      longest = &site;
    }
  }
  // A model of one site is not a list of names to choose from, it is what all norms have in common.
  if (model.sites.size() > 1) {
    kind = SiteMatchKind::kSuffix;
    if (shorter_named.size() == 1) return shorter_named;
    if (shorter_named.empty() && longest) return {longest};
  }
  kind = SiteMatchKind::kShared;
  return shorter_named.empty() ? all : shorter_named;
}

// The groups instead of the sites: a large model has hundreds of the latter.
std::string listed_groups(const Model& model) {
  std::vector<std::string_view> seen;
  std::string list;
  for (const NormSite& site : model.sites) {
    if (std::find(seen.begin(), seen.end(), site.group) != seen.end()) continue;
    seen.push_back(site.group);
    list += (list.empty() ? "" : ", ") + site.group + " (epsilon " + site.epsilon.text + ")";
  }
  return list;
}

std::string nearest_site(const Model& model, std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(model.sites.size());
  for (const NormSite& site : model.sites) names.push_back(site.name);
  return std::string(nearest_name(name, names));
}

InputError no_such_site(const Model& model, std::string_view name) {
  return InputError(
      {.code = "unknown_site",
       .file = model.source,
       .place = {},
       .found =
           name.empty() ? "a capture that names no site" : "the site \"" + std::string(name) + "\"",
       .expected = "one of these sites, whose epsilons differ: " + listed_groups(model),
       .nearest = name.empty() ? "" : nearest_site(model, name)});
}

}  // namespace

Model model_of_one_norm(std::size_t dim, const FloatFormat& dtype, Epsilon epsilon) {
  Model model;
  model.family = "none";
  model.dtype = &dtype;
  model.hidden = dim;
  model.sites.push_back({.name = "norm",
                         .group = "norm",
                         .dim = dim,
                         .epsilon = std::move(epsilon),
                         .epsilon_from = "option --epsilon",
                         .weight_offset = WeightOffset{},
                         .recipe = {}});
  return model;
}

SiteMatch find_site(const Model& model, std::string_view name) {
  if (model.sites.empty()) {
    throw InputError({.code = "unknown_site",
                      .file = model.source,
                      .place = {},
                      .found = "a model without RMSNorm sites",
                      .expected = "at least one",
                      .nearest = {}});
  }
  if (name.empty() && model.sites.size() == 1) {
    return {model.sites.front(), SiteMatchKind::kSameName};
  }
  SiteMatchKind kind = SiteMatchKind::kShared;
  const Sites sites = sites_meant(model, name, kind);
  if (kind != SiteMatchKind::kShared) return {*sites.front(), kind};
  if (!share_epsilon(sites)) throw no_such_site(model, name);
  return {shared_site(sites, name), kind};
}

}  // namespace normcert
