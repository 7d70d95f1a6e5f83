// Which parameters of a recipe, and which two of them together, no evaluation is defined for.
#include <bit>
#include <string>
#include <utility>

#include "problem/recipe.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

using Found = std::optional<RecipeConflict>;

template <typename Enum, typename OtherEnum>
RecipeConflict together(std::string key, Enum value, std::string_view other_key,
                        OtherEnum other_value) {
  std::string reason(name_of(value));
  reason += " is not supported together with ";
  reason += other_key;
  reason += ' ';
  reason += name_of(other_value);
  return {std::move(key), std::move(reason)};
}

bool uses_fma(const SummationOrder& order) { return has_fma(order.kind) && order.fma; }

Found in_order(const SummationOrder& order) {
  const std::string key = "statistic.order";
  if (order.kind == OrderKind::kLanes && order.combine != LaneCombine::kSequential &&
      !std::has_single_bit(static_cast<unsigned>(order.lanes))) {
    return RecipeConflict{key + ".lanes", std::to_string(order.lanes) +
                                              " lanes cannot be combined by halves or pairs: "
                                              "their number must be a power of two"};
  }
  if (order.kind == OrderKind::kTorchCascade && order.lanes % 2 != 0) {
    return RecipeConflict{key + ".lanes", "torch_cascade needs an even number of lanes"};
  }
  const bool in_threads = order.kind == OrderKind::kBlockTree ||
                          order.kind == OrderKind::kTorchCudaMean ||
                          order.kind == OrderKind::kTriton;
  if (in_threads && !std::has_single_bit(static_cast<unsigned>(order.threads))) {
    return RecipeConflict{key + ".threads",
                          std::to_string(order.threads) + " threads: must be a power of two"};
  }
  if (order.kind == OrderKind::kTriton &&
      !std::has_single_bit(static_cast<unsigned>(order.vector))) {
    return RecipeConflict{key + ".vector", "vectors of " + std::to_string(order.vector) +
                                               ": triton needs a power of two"};
  }
  return {};
}

Found in_accumulation(const StatisticStep& statistic) {
  const SummationOrder& order = statistic.order;
  const bool any = order.kind == OrderKind::kAny;
  if (statistic.accumulate == Accumulation::kExact && !any) {
    return together("statistic.accumulate", statistic.accumulate, "statistic.order", order.kind);
  }
  if (statistic.accumulate == Accumulation::kKahan && !any &&
      order.kind != OrderKind::kSequential) {
    return together("statistic.accumulate", statistic.accumulate, "statistic.order", order.kind);
  }
  if (!uses_fma(order)) return {};
  const std::string with_fma = "fma is not supported together with ";
  const std::string key = "statistic.order.fma";
  if (statistic.accumulate == Accumulation::kKahan) {
    return RecipeConflict{key, with_fma + "statistic.accumulate kahan"};
  }
  // The fused operation never forms the square, so nothing can be said about its rounding.
  if (statistic.square != StepFormat::kBinary32) {
    return RecipeConflict{key,
                          with_fma + "statistic.square " + std::string(name_of(statistic.square))};
  }
  if (statistic.mean == MeanStep::kPrescaled) {
    return RecipeConflict{key, with_fma + "statistic.mean prescaled"};
  }
  return {};
}

Found in_statistic(const StatisticStep& statistic) {
  if ((statistic.kind == StatisticKind::kPartial) != statistic.fraction.has_value()) {
    return RecipeConflict{"statistic.fraction",
                          "statistic.kind partial and a fraction need one another"};
  }
  const bool no_mean = statistic.kind == StatisticKind::kSumSquare;
  if (no_mean && statistic.mean != MeanStep::kDivide) {
    return together("statistic.mean", statistic.mean, "statistic.kind", statistic.kind);
  }
  if (statistic.kind == StatisticKind::kVariance && statistic.mean == MeanStep::kPrescaled) {
    return together("statistic.mean", statistic.mean, "statistic.kind", statistic.kind);
  }
  if (auto conflict = in_order(statistic.order)) return conflict;
  return in_accumulation(statistic);
}

Found in_epsilon(const Recipe& recipe) {
  const EpsilonPosition position = recipe.epsilon.position;
  const StatisticStep& statistic = recipe.statistic;
  const std::string key = "epsilon.position";
  const auto with_kind = [&] { return together(key, position, "statistic.kind", statistic.kind); };
  const auto with_mean = [&] { return together(key, position, "statistic.mean", statistic.mean); };
  switch (position) {
    case EpsilonPosition::kClampRmsSqrtN:
      if (statistic.kind != StatisticKind::kMeanSquare) return with_kind();
      if (statistic.mean != MeanStep::kDivide) return with_mean();
      break;
    case EpsilonPosition::kOnSum:
      if (statistic.kind == StatisticKind::kSumSquare) return with_kind();
      if (statistic.mean == MeanStep::kPrescaled) return with_mean();
      break;
    case EpsilonPosition::kScaledByMax:
      if (statistic.kind == StatisticKind::kVariance) return with_kind();
      if (recipe.before == PreStep::kDivideByMax) {
        return together(key, position, "before", recipe.before);
      }
      break;
    default:
      break;
  }
  return {};
}

// Positions that need the root of the statistic itself, not its reciprocal.
bool needs_rms(EpsilonPosition position) {
  return position == EpsilonPosition::kOutside || position == EpsilonPosition::kClampRms ||
         position == EpsilonPosition::kClampRmsSqrtN || position == EpsilonPosition::kScaledByMax;
}

Found in_root(const Recipe& recipe) {
  const RootStep& root = recipe.root;
  const EpsilonPosition position = recipe.epsilon.position;
  const bool divides = root.kind == RootKind::kDivideBySqrt;
  const bool rsqrt = root.kind == RootKind::kRsqrtCorrect || root.kind == RootKind::kRsqrtApprox;
  if (divides != divides_by_rms(recipe.association)) {
    return together("association", recipe.association, "root.kind", root.kind);
  }
  if ((divides && position == EpsilonPosition::kAfterRsqrt) || (rsqrt && needs_rms(position))) {
    return together("epsilon.position", position, "root.kind", root.kind);
  }
  if (rsqrt && root.rounding == RootRounding::kEachOp) {
    return together("root.rounding", root.rounding, "root.kind", root.kind);
  }
  if (root.kind != RootKind::kRsqrtApprox) {
    const std::string need = " needs root.kind rsqrt_approx";
    if (root.newton_steps != 0) return RecipeConflict{"root.newton_steps", "a step" + need};
    if (root.max_ulp != RootStep{}.max_ulp) {
      return RecipeConflict{"root.max_ulp", "a value other than the default" + need};
    }
  }
  const StatisticRounding rounding = recipe.statistic_rounding;
  if ((divides && rounding == StatisticRounding::kRstd) ||
      (rsqrt && rounding == StatisticRounding::kRms)) {
    return together("statistic_rounding", rounding, "root.kind", root.kind);
  }
  return {};
}

Found in_tail(const Recipe& recipe) {
  const Association association = recipe.association;
  const WeightStep& weight = recipe.weight;
  const bool weight_last = association == Association::kXrThenW ||
                           association == Association::kXOverRmsW ||
                           association == Association::kFmaXrWXr;
  const bool no_weight = weight.form == WeightForm::kNone;
  if (association == Association::kXr && !no_weight) {
    return together("association", association, "weight.form", weight.form);
  }
  const bool exact = weight.offset_dtype == OffsetFormat::kExact;
  if (association == Association::kFmaXrWXr && !(exact && weight.form == WeightForm::kOnePlusW)) {
    return RecipeConflict{"association",
                          "fma(x*r,w,x*r) needs weight.form 1+w and weight.offset_dtype exact"};
  }
  if (exact && !weight_last) {
    return together("weight.offset_dtype", weight.offset_dtype, "association", association);
  }
  const bool has_offset =
      weight.form == WeightForm::kOnePlusW || weight.form == WeightForm::kOffsetPlusW;
  if (!has_offset && weight.offset_dtype != OffsetFormat::kBinary32) {
    return together("weight.offset_dtype", weight.offset_dtype, "weight.form", weight.form);
  }
  const bool cast_inside = recipe.cast == CastPoint::kBeforeWeight ||
                           recipe.cast == CastPoint::kBeforeWeightToWeightDtype;
  if (cast_inside && !weight_last && association != Association::kXr) {
    return together("cast", recipe.cast, "association", association);
  }
  const bool one_conversion =
      recipe.cast == CastPoint::kAfterWeight || recipe.cast == CastPoint::kNone;
  if (recipe.rounding == StoreRounding::kTruncate && !one_conversion) {
    return together("rounding", recipe.rounding, "cast", recipe.cast);
  }
  return {};
}

Found every_op(const Recipe& recipe) {
  if (recipe.cast != CastPoint::kEveryOp) return {};
  if (recipe.compute != ComputeFormat::kBinary32) {
    return together("compute", recipe.compute, "cast", recipe.cast);
  }
  // Every step is rounded to T already.
  if (recipe.statistic_rounding != StatisticRounding::kNone) {
    return together("statistic_rounding", recipe.statistic_rounding, "cast", recipe.cast);
  }
  return {};
}

Found in_contraction(const Recipe& recipe) {
  if (recipe.contract.size() > 1) {
    return RecipeConflict{"contract", "one of its names stands there twice"};
  }
  if (!contracts(recipe, Contraction::kMeanWithEpsilon)) return {};
  const StatisticStep& statistic = recipe.statistic;
  const auto with = [](std::string_view key, auto value) {
    std::string reason = "mean+epsilon is not supported together with ";
    reason += key;
    reason += ' ';
    reason += name_of(value);
    return RecipeConflict{"contract", std::move(reason)};
  };
  if (statistic.mean != MeanStep::kMultiplyReciprocal) {
    return with("statistic.mean", statistic.mean);
  }
  if (statistic.kind == StatisticKind::kVariance) return with("statistic.kind", statistic.kind);
  if (recipe.epsilon.position != EpsilonPosition::kInside) {
    return with("epsilon.position", recipe.epsilon.position);
  }
  // The mean is nowhere a number of its own.
  const StatisticRounding rounding = recipe.statistic_rounding;
  if (rounding == StatisticRounding::kMean || rounding == StatisticRounding::kAll) {
    return with("statistic_rounding", rounding);
  }
  return {};
}

Found in_table(const Recipe& recipe) {
  if (!recipe.rsqrt_table) return {};
  if (recipe.root.kind != RootKind::kRsqrtApprox) {
    return RecipeConflict{"rsqrt_table", "a table needs root.kind rsqrt_approx"};
  }
  // The tables that there are deviate by at most two ulp from the correctly rounded root.
  if (recipe.root.max_ulp < 2) {
    return RecipeConflict{
        "root.max_ulp",
        "rsqrt_table " + std::string(name_of(*recipe.rsqrt_table)) + " deviates by up to 2 ulp"};
  }
  if (recipe.compute == ComputeFormat::kBinary64) {
    return together("rsqrt_table", *recipe.rsqrt_table, "compute", recipe.compute);
  }
  return {};
}

Found in_activation(const Recipe& recipe) {
  if (recipe.gate == GateMode::kNone) return {};
  const ActivationStep& step = recipe.activation;
  if (step.exponential != Exponential::kAny && recipe.compute != ComputeFormat::kBinary32) {
    return together("activation.exponential", step.exponential, "compute", recipe.compute);
  }
  const std::string need = "a value other than the default needs activation.exponential any";
  if (step.exponential != Exponential::kAny) {
    if (step.max_ulp != ActivationStep{}.max_ulp) return RecipeConflict{"activation.max_ulp", need};
    if (step.division_max_ulp != 0) return RecipeConflict{"activation.division_max_ulp", need};
  }
  if (step.kind == Activation::kSigmoid && step.form != ActivationForm::kQuotient) {
    return together("activation.form", step.form, "activation.kind", step.kind);
  }
  return {};
}

}  // namespace

std::optional<RecipeConflict> find_conflict(const Recipe& recipe) {
  if (auto conflict = in_statistic(recipe.statistic)) return conflict;
  if (auto conflict = in_epsilon(recipe)) return conflict;
  if (auto conflict = in_root(recipe)) return conflict;
  if (auto conflict = in_table(recipe)) return conflict;
  if (auto conflict = in_contraction(recipe)) return conflict;
  if (auto conflict = in_tail(recipe)) return conflict;
  if (auto conflict = in_activation(recipe)) return conflict;
  return every_op(recipe);
}

}  // namespace normcert
