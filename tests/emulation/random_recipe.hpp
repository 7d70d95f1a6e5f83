// Recipes with every parameter drawn at random, conflicts among them included.
#pragma once

#include <cstdint>
#include <string>

#include "numeric/random.hpp"
#include "problem/recipe.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {

class RandomRecipes {
 public:
  explicit RandomRecipes(std::uint64_t seed) : random_(seed, "recipes") {}

  // Not two are drawn alike from one generator.
  Recipe next() {
    Recipe recipe;
    recipe.name = "random." + std::to_string(index_);
    recipe.convert_inputs = rarely() ? any<InputConversion>() : InputConversion::kNone;
    recipe.compute = any<ComputeFormat>();
    recipe.before = rarely() ? any<PreStep>() : PreStep::kNone;
    recipe.statistic = statistic();
    recipe.epsilon.position = any<EpsilonPosition>();
    recipe.epsilon.dtype = any<StepFormat>();
    if (rarely()) recipe.epsilon.preset = "1e-6";
    recipe.root.kind = any<RootKind>();
    recipe.root.rounding = any<RootRounding>();
    if (recipe.root.kind == RootKind::kRsqrtApprox) {
      recipe.root.max_ulp = number(1, 2000);
      recipe.root.newton_steps = number(0, 2);
      if (rarely()) recipe.rsqrt_table = any<RsqrtTable>();
    }
    if (rarely()) {
      recipe.contract = {any<Contraction>()};
      // Hardly any other recipe can contract.
      recipe.statistic.mean = MeanStep::kMultiplyReciprocal;
      recipe.epsilon.position = EpsilonPosition::kInside;
    }
    recipe.statistic_rounding = any<StatisticRounding>();
    recipe.association = any<Association>();
    recipe.cast = any<CastPoint>();
    recipe.weight.form = any<WeightForm>();
    const bool has_offset = recipe.weight.form == WeightForm::kOnePlusW ||
                            recipe.weight.form == WeightForm::kOffsetPlusW;
    if (has_offset) recipe.weight.offset_dtype = any<OffsetFormat>();
    if (recipe.association == Association::kXr) recipe.weight = {WeightForm::kNone};
    if (recipe.association == Association::kFmaXrWXr) {
      recipe.weight = {WeightForm::kOnePlusW, OffsetFormat::kExact};
    }
    recipe.weight.bias = rarely();
    recipe.residual = any<ResidualMode>();
    recipe.gate = rarely() ? any<GateMode>() : GateMode::kNone;
    if (recipe.gate != GateMode::kNone) recipe.activation = activation();
    recipe.output = any<OutputFormat>();
    recipe.rounding = rarely() ? StoreRounding::kTruncate : StoreRounding::kNearestEven;
    recipe.flush = rarely() ? any<FlushMode>() : FlushMode::kNone;
    return recipe;
  }

  // From `low` to `high`, both included.
  int number(int low, int high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<int>(random_.bits(index_++) % span);
  }

  template <typename Enum>
  Enum any() {
    return static_cast<Enum>(number(0, static_cast<int>(EnumNames<Enum>::kNames.size()) - 1));
  }

 private:
  bool rarely() { return number(0, 4) == 0; }

  StatisticStep statistic() {
    StatisticStep statistic;
    statistic.kind = any<StatisticKind>();
    if (statistic.kind == StatisticKind::kPartial) statistic.fraction = 0.0625 * number(4, 16);
    if (rarely()) statistic.group = 1 << number(2, 4);
    statistic.square = any<StepFormat>();
    statistic.accumulate = any<Accumulation>();
    statistic.mean = any<MeanStep>();
    statistic.order = order();
    return statistic;
  }

  ActivationStep activation() {
    ActivationStep step;
    step.kind = any<Activation>();
    step.form = step.kind == Activation::kSilu ? any<ActivationForm>() : ActivationForm::kQuotient;
    step.exponential = any<Exponential>();
    if (step.exponential == Exponential::kAny) {
      step.max_ulp = number(0, 200);
      step.division_max_ulp = number(0, 8);
    }
    return step;
  }

  SummationOrder order() {
    SummationOrder order;
    order.kind = any<OrderKind>();
    order.base = number(1, 16);
    order.lanes = 1 << number(1, 4);
    order.accumulators = number(1, 3);
    order.tail = any<LaneTail>();
    order.combine = any<LaneCombine>();
    order.threads = 1 << number(0, 7);
    order.vector = number(1, 8);
    order.per_element = number(0, 1) == 1;
    order.warp = any<WarpReduction>();
    order.across = any<AcrossWarps>();
    order.fma = number(0, 1) == 1;
    if (order.kind == OrderKind::kAny && rarely()) order.depth = number(1, 100);
    return order;
  }

  RandomStream random_;
  std::uint64_t index_ = 0;
};

}  // namespace normcert
