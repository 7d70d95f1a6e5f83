#include "judge/mutant_base.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "judge/block_judge.hpp"

namespace normcert {
namespace {

// The base written in the format of the outputs; nothing where no recipe writes it.
std::optional<Recipe> writing(Recipe base, const Case& value, const FloatFormat& y) {
  const FloatFormat* const weight = value.weight ? value.weight->format : nullptr;
  for (const OutputFormat output : {base.output, OutputFormat::kInput, OutputFormat::kWeight,
                                    OutputFormat::kPromote, OutputFormat::kBinary32}) {
    base.output = output;
    if (emulated_format(base, *value.x.format, weight) == y) return base;
  }
  return std::nullopt;
}

// The declared function as plainly as it can be computed, for ports whose source is the exact
// result rounded once.
Recipe wide_base(const Case& value) {
  Recipe recipe;
  recipe.name = kRoundedReferenceName;
  recipe.compute = ComputeFormat::kBinary64;
  recipe.statistic.square = StepFormat::kBinary64;
  recipe.statistic.accumulate = Accumulation::kBinary64;
  recipe.epsilon.dtype = StepFormat::kBinary64;
  recipe.cast = CastPoint::kAfterWeight;
  if (value.gate) {
    recipe.gate = value.gate->mode;
    recipe.activation.kind = value.gate->activation;
  }
  const double offset = value.weight_offset.binary64;
  recipe.weight.form = offset == 0   ? WeightForm::kW
                       : offset == 1 ? WeightForm::kOnePlusW
                                     : WeightForm::kOffsetPlusW;
  if (!value.weight) {
    recipe.weight.form = WeightForm::kNone;
    recipe.association = Association::kXr;
  }
  return recipe;
}

bool computes_declared(const Recipe& recipe, const Case& value) {
  const double offset = value.weight_offset.binary64;
  const WeightForm form = recipe.weight.form;
  const bool gate = value.gate ? recipe.gate == value.gate->mode &&
                                     recipe.activation.kind == value.gate->activation
                               : recipe.gate == GateMode::kNone;
  const bool gain = !value.weight || form == WeightForm::kOffsetPlusW ||
                    (form == WeightForm::kW && offset == 0) ||
                    (form == WeightForm::kOnePlusW && offset == 1);
  return gate && gain && recipe.statistic.kind == StatisticKind::kMeanSquare &&
         !recipe.statistic.group && recipe.epsilon.position == EpsilonPosition::kInside;
}

// How many of the port's outputs the recipe gives; of one that only the slow evaluator has it is
// not asked.
std::uint64_t observed_bits(const JudgedCase& rows, const Recipe& recipe) {
  const BlockInput input = block_input(rows.value);
  if (fastest_evaluator(recipe, input) == Evaluator::kExact) return 0;
  std::uint64_t equal = 0;
  for (const std::size_t count : count_same_bits(recipe, input, *rows.observed->y)) equal += count;
  return equal;
}

}  // namespace

std::optional<Recipe> mutant_base(const VerifyRequest& request, const JudgedCase& rows,
                                  const FloatFormat& y, const Implementation* candidate) {
  const Case& value = rows.value;
  std::optional<Recipe> plain = writing(wide_base(value), value, y);
  if (candidate != nullptr) {
    const Recipe* const own = candidate->recipe.get();
    return own != nullptr ? writing(*own, value, y) : std::move(plain);
  }
  const Implementation source = request.find_implementation(source_name(rows));
  std::vector<const Recipe*> recipes;
  if (source.recipe) recipes.push_back(source.recipe.get());
  if (request.known_recipes) {
    for (const Recipe* recipe : request.known_recipes()) {
      if (computes_declared(*recipe, value)) recipes.push_back(recipe);
    }
  }
  std::optional<Recipe> best = source.recipe ? std::nullopt : plain;
  std::uint64_t most = best ? observed_bits(rows, *best) : 0;
  for (const Recipe* recipe : recipes) {
    std::optional<Recipe> base = writing(*recipe, value, y);
    if (!base) continue;
    const std::uint64_t equal = observed_bits(rows, *base);
    if (best && equal <= most) continue;
    most = equal;
    best = std::move(base);
  }
  return best ? best : std::move(plain);
}

}  // namespace normcert
