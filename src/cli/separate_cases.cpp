#include "cli/separate_cases.hpp"

#include <utility>

#include "catalogue/recipes.hpp"
#include "cli/implementations.hpp"
#include "cli/option_values.hpp"
#include "formats/json_text.hpp"
#include "formats/sha256.hpp"
#include "inference/separating_input.hpp"

namespace normcert {
namespace {

constexpr std::string_view kOption = "--separate";

std::shared_ptr<const Recipe> recipe_of(const std::string& text) {
  Implementation implementation = implementation_of(text, std::string(kOption));
  if (!implementation.recipe) {
    throw value_error(kOption, text, "a recipe; the exact result, rounded once, has no steps");
  }
  return std::move(implementation.recipe);
}

void add_input(const std::string& text, const Recipe& recipe, std::vector<ReportInput>& inputs) {
  if (find_recipe(text) == &recipe) return;  // of the catalogue
  inputs.push_back({text, sha256_hex(JsonDocument::read(text).text()), "file"});
}

SeparationRequest request_for(const SiteCases& norm) {
  const StandardSpec& spec = norm.spec;
  SeparationRequest request;
  request.width = spec.width;
  request.x = spec.format;
  if (norm.site->has_weight) {
    request.weight = spec.weight_format != nullptr ? spec.weight_format
                     : spec.weight                 ? spec.weight->format
                                                   : spec.format;
  }
  request.epsilon = spec.epsilon;
  request.weight_offset = spec.weight_offset;
  request.seed = spec.seed;
  return request;
}

std::optional<SeparatingCase> add_case(std::optional<SeparatingInput> input,
                                       const std::string& prefix, const SiteCases& norm,
                                       std::vector<JudgedCase>& cases) {
  if (!input) return std::nullopt;
  JudgedCase judged;
  judged.value = std::move(input->value);
  judged.value.id = prefix + judged.value.id;
  judged.value.site = norm.site->name;
  judged.covers = norm.names;
  SeparatingCase separating{judged.value.id, judged.value.x.width, input->differing};
  cases.push_back(std::move(judged));
  return separating;
}

}  // namespace

RecipePair recipes_to_separate(const TextPair& texts) {
  return {recipe_of(texts.first), recipe_of(texts.second)};
}

SeparatedCases separate_cases(const TextPair& texts, const RecipePair& recipes,
                              const SubjectOptions& options, SubjectModel& model,
                              std::uint64_t seed) {
  SeparatedCases result;
  result.report.first = texts.first;
  result.report.second = texts.second;
  add_input(texts.first, *recipes.first, result.inputs);
  if (texts.second != texts.first) add_input(texts.second, *recipes.second, result.inputs);
  const std::vector<SiteCases> norms = sites_to_generate(options, model, seed);
  for (const SiteCases& norm : norms) {
    const SeparationRequest request = request_for(norm);
    Separation found = separate(*recipes.first, *recipes.second, request);
    const std::string prefix = norms.size() > 1 ? norm.site->name + "/" : "";
    NormSeparation one;
    one.site = norm.site->name;
    one.dim = request.width;
    one.dtype = request.x->name;
    if (request.weight != nullptr) one.weight_dtype = request.weight->name;
    one.most = add_case(std::move(found.most), prefix, norm, result.cases);
    one.smallest = add_case(std::move(found.smallest), prefix, norm, result.cases);
    one.smallest_is_proved = found.smallest_is_proved;
    one.rows_tried = found.rows_tried;
    if (found.equal) {
      one.equal.emplace();
      for (UnseenParameter& unseen : *found.equal) {
        one.equal->emplace_back(std::move(unseen.key), std::move(unseen.reason));
      }
    }
    if (!one.equal && !one.most && !one.smallest) result.is_decided = false;
    result.report.norms.push_back(std::move(one));
  }
  return result;
}

}  // namespace normcert
