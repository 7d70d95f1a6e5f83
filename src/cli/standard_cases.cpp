#include <map>
#include <tuple>

#include "cli/case_list.hpp"
#include "generate/standard_set.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

// Sites of one group need one set of cases: same width, epsilon, offset and source recipe.
std::vector<const NormSite*> first_of_each_group(const Model& model) {
  using Key = std::tuple<std::size_t, std::uint64_t, double, bool, std::string>;
  std::map<Key, bool> seen;
  std::vector<const NormSite*> sites;
  for (const NormSite& site : model.sites) {
    const Key key{site.dim, code_of(site.epsilon.binary64).bits,
                  site.weight_offset ? site.weight_offset->binary64 : 0,
                  site.weight_offset.has_value(), site.recipe};
    if (seen.emplace(key, true).second) sites.push_back(&site);
  }
  return sites;
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
  return spec;
}

}  // namespace

void add_standard_cases(const SubjectOptions& options, SubjectModel& model, std::uint64_t seed,
                        CaseList& list) {
  if (!model.model) {
    throw InputError({.code = "usage",
                      .file = "",
                      .place = "standard cases",
                      .found = "no model",
                      .expected = "--config, or --dim, --dtype and --epsilon together",
                      .nearest = ""});
  }
  const std::vector<const NormSite*> sites = first_of_each_group(*model.model);
  for (const NormSite* site : sites) {
    StandardSet set = standard_set(spec_of(*site, options, model, seed));
    for (Case& value : set.cases) {
      if (sites.size() > 1) value.id = site->name + "/" + value.id;
      value.site = site->name;
      JudgedCase judged;
      judged.source_recipe = site->recipe;
      judged.value = std::move(value);
      judged.sha256 = case_sha256(judged.value);
      list.cases.push_back(std::move(judged));
    }
    for (const OmittedRows& omitted : set.omitted) {
      list.not_tested.push_back("standard rows " + omitted.class_name + " (" + omitted.rows +
                                "): " + omitted.reason);
    }
  }
}

}  // namespace normcert
