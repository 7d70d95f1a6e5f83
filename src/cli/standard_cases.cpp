#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "catalogue/recipes.hpp"
#include "cli/case_list.hpp"
#include "generate/gate_rows.hpp"
#include "generate/standard_set.hpp"
#include "numeric/rounding.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

// Sites of one group need one set of cases: same width, epsilon, offset and source recipe.
struct SiteGroup {
  const NormSite* first = nullptr;
  std::vector<std::string> names;
};

using GroupKey = std::tuple<std::size_t, std::uint64_t, double, bool, bool, std::string>;

GroupKey group_key(const NormSite& site) {
  return {site.dim,
          code_of(site.epsilon.binary64).bits,
          site.weight_offset ? site.weight_offset->binary64 : 0,
          site.weight_offset.has_value(),
          site.has_weight,
          site.recipe};
}

std::vector<SiteGroup> site_groups(const Model& model) {
  std::map<GroupKey, std::size_t> seen;
  std::vector<SiteGroup> groups;
  for (const NormSite& site : model.sites) {
    const auto [found, is_new] = seen.emplace(group_key(site), groups.size());
    if (is_new) groups.push_back({&site, {}});
    groups[found->second].names.push_back(site.name);
  }
  return groups;
}

InputError cannot_generate(const NormSite& site, const std::string& found,
                           const std::string& expected) {
  return InputError({.code = "usage",
                     .file = "",
                     .place = "standard cases for " + site.name,
                     .found = found,
                     .expected = expected,
                     .nearest = ""});
}

// Each weight rounded once to the format in which the port keeps it.
TensorView converted(const TensorView& weight, const FloatFormat& format) {
  Tensor result(format, weight.rows, weight.width);
  for (std::size_t i = 0; i < weight.width; ++i) {
    result.set(0, i, convert(weight.at(0, i), format));
  }
  return std::move(result).share();
}

StandardSpec spec_of(const NormSite& site, const SubjectOptions& options, SubjectModel& model,
                     std::uint64_t seed) {
  StandardSpec spec;
  spec.width = site.dim;
  spec.format = model.model->dtype;
  if (spec.width == 0) throw cannot_generate(site, "no width", "--dim N");
  if (spec.format == nullptr) throw cannot_generate(site, "no dtype", "--dtype T");
  if (!site.weight_offset) {
    throw cannot_generate(site, "no weight offset: the gain may be w or 1 + w",
                          "--weight-offset 0 or 1");
  }
  spec.epsilon = site.epsilon;
  spec.weight_offset = *site.weight_offset;
  spec.seed = seed;
  spec.weight = site_weight(model, site.name);
  spec.weight_format = options.weight_dtype;
  if (spec.weight && options.weight_dtype != nullptr) {
    spec.weight = converted(*spec.weight, *options.weight_dtype);
  }
  return spec;
}

// The rows alone, for a norm that has no weight. Rows next to midpoints are made with a weight of
// their own and are not next to them without it.
void drop_weights(StandardSet& set) {
  constexpr std::string_view kMidpoint = "midpoint";
  const auto dropped =
      std::erase_if(set.cases, [&](const Case& value) { return value.class_name == kMidpoint; });
  if (dropped > 0) {
    set.omitted.push_back({std::string(kMidpoint), "all", "they need a weight, the norm has none"});
  }
  for (Case& value : set.cases) {
    value.weight.reset();
    value.weight_none = true;
  }
}

// A gate for each case of a gated norm. Rows that lie next to midpoints or to overflow are made for
// a norm without one.
void add_gates(StandardSet& set, const Recipe& recipe, std::uint64_t seed) {
  for (const std::string_view made_without : {"midpoint", "near_overflow"}) {
    const auto dropped = std::erase_if(
        set.cases, [&](const Case& value) { return value.class_name == made_without; });
    if (dropped == 0) continue;
    set.omitted.push_back({std::string(made_without), "all",
                           "they are made for norms without a "
                           "gate"});
  }
  for (Case& value : set.cases) {
    const TensorView& x = value.x;
    value.gate = Gate{.values = gate_rows(seed, value.class_name, x.rows, x.width, *x.format),
                      .mode = recipe.gate,
                      .activation = recipe.activation.kind};
  }
}

}  // namespace

std::vector<std::string> sites_alike(const Model& model, const NormSite& site) {
  std::vector<std::string> names;
  for (const NormSite& other : model.sites) {
    if (group_key(other) == group_key(site)) names.push_back(other.name);
  }
  return names;
}

std::vector<SiteCases> sites_to_generate(const SubjectOptions& options, SubjectModel& model,
                                         std::uint64_t seed) {
  if (!model.model) {
    throw InputError({.code = "usage",
                      .file = "",
                      .place = "standard cases",
                      .found = "no model",
                      .expected = "--config, or --dim, --dtype and --epsilon together",
                      .nearest = ""});
  }
  std::vector<SiteCases> list;
  for (SiteGroup& group : site_groups(*model.model)) {
    list.push_back(
        {group.first, std::move(group.names), spec_of(*group.first, options, model, seed)});
  }
  return list;
}

void add_standard_cases(const SubjectOptions& options, SubjectModel& model, std::uint64_t seed,
                        CaseList& list, const Recipe* recipe,
                        const std::vector<std::string>& classes) {
  const auto is_left_out = [&](const std::string& name) {
    return !classes.empty() && std::ranges::find(classes, name) == classes.end();
  };
  const std::vector<SiteCases> groups = sites_to_generate(options, model, seed);
  for (const SiteCases& group : groups) {
    const NormSite* site = group.site;
    StandardSet set = standard_set(group.spec);
    if (!site->has_weight) drop_weights(set);
    const Recipe* const own = find_recipe(site->recipe);
    for (const Recipe* const gated : {own, recipe}) {
      if (gated == nullptr || gated->gate == GateMode::kNone) continue;
      add_gates(set, *gated, seed);
      break;
    }
    for (Case& value : set.cases) {
      if (is_left_out(value.class_name)) continue;
      if (groups.size() > 1) value.id = site->name + "/" + value.id;
      value.site = site->name;
      JudgedCase judged;
      judged.source_recipe = site->recipe;
      judged.covers = group.names;
      judged.value = std::move(value);
      list.cases.push_back(std::move(judged));
    }
    for (const OmittedRows& omitted : set.omitted) {
      if (is_left_out(omitted.class_name)) continue;
      const std::string of_site = groups.size() > 1 ? " of " + site->name : "";
      list.not_tested.push_back("standard rows " + omitted.class_name + of_site + " (" +
                                omitted.rows + "): " + omitted.reason);
    }
  }
}

}  // namespace normcert
