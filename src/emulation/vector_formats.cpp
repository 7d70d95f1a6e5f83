#include "emulation/vector_formats.hpp"

#include <algorithm>
#include <vector>

#include "emulation/step_formats.hpp"

namespace normcert {
namespace {

bool understood(const SummationOrder& order) {
  switch (order.kind) {
    case OrderKind::kSequential:
    case OrderKind::kPairwise:
    case OrderKind::kLanes:
    case OrderKind::kTorchCascade:
    case OrderKind::kBlockTree:
    case OrderKind::kAny:
    case OrderKind::kTorchCudaMean:
    case OrderKind::kTriton:
      return true;
  }
  return false;
}

bool understood(const StatisticStep& statistic) {
  switch (statistic.kind) {
    case StatisticKind::kMeanSquare:
    case StatisticKind::kSumSquare:
    case StatisticKind::kMeanSquareNMinus1:
    case StatisticKind::kPartial:
      break;
    default:
      return false;
  }
  const bool sums_in_order = statistic.accumulate == Accumulation::kBinary32 ||
                             statistic.accumulate == Accumulation::kInput ||
                             statistic.accumulate == Accumulation::kKahan;
  const bool mean_of_sum =
      statistic.mean == MeanStep::kDivide || statistic.mean == MeanStep::kMultiplyReciprocal;
  return sums_in_order && mean_of_sum && understood(statistic.order);
}

// ScalarStep::scalar_of_sum has these.
bool understood(EpsilonPosition position) {
  switch (position) {
    case EpsilonPosition::kInside:
    case EpsilonPosition::kOutside:
    case EpsilonPosition::kAfterRsqrt:
    case EpsilonPosition::kClampQ:
    case EpsilonPosition::kClampRms:
    case EpsilonPosition::kClampRmsSqrtN:
    case EpsilonPosition::kOnSum:
    case EpsilonPosition::kNone:
      return true;
    default:
      return false;
  }
}

bool understood(Association association) {
  switch (association) {
    case Association::kXrThenW:
    case Association::kXTimesRw:
    case Association::kXwThenR:
    case Association::kXOverRmsW:
    case Association::kXwOverRms:
    case Association::kWOverRmsX:
    case Association::kXr:
      return true;
    default:
      return false;
  }
}

bool understood(CastPoint cast) {
  switch (cast) {
    case CastPoint::kBeforeWeight:
    case CastPoint::kBeforeWeightToWeightDtype:
    case CastPoint::kAfterWeight:
    case CastPoint::kEveryOp:
    case CastPoint::kNone:
      return true;
  }
  return false;
}

bool understood(const WeightStep& weight) {
  switch (weight.form) {
    case WeightForm::kW:
    case WeightForm::kOnePlusW:
    case WeightForm::kOffsetPlusW:
    case WeightForm::kNone:
      return weight.offset_dtype == OffsetFormat::kBinary32 ||
             weight.offset_dtype == OffsetFormat::kWeight;
  }
  return false;
}

bool understood(const std::vector<Contraction>& contract) {
  return std::all_of(contract.begin(), contract.end(),
                     [](Contraction what) { return what == Contraction::kMeanWithEpsilon; });
}

bool understood(ResidualMode residual) {
  switch (residual) {
    case ResidualMode::kNone:
    case ResidualMode::kRounded:
    case ResidualMode::kUnrounded:
    case ResidualMode::kUnroundedStatistic:
      return true;
  }
  return false;
}

// The parameters that VectorEvaluator looks at as in `recipe`, all others at their defaults. A
// parameter that is not listed here is one that it does not know.
Recipe known_part(const Recipe& recipe) {
  Recipe known;
  known.convert_inputs = recipe.convert_inputs;
  known.compute = recipe.compute;
  const StatisticStep& statistic = recipe.statistic;
  known.statistic.kind = statistic.kind;
  known.statistic.group = statistic.group;
  known.statistic.fraction = statistic.fraction;
  known.statistic.square = statistic.square;
  known.statistic.accumulate = statistic.accumulate;
  known.statistic.mean = statistic.mean;
  known.statistic.order.kind = statistic.order.kind;
  known.statistic.order.base = statistic.order.base;
  known.statistic.order.lanes = statistic.order.lanes;
  known.statistic.order.accumulators = statistic.order.accumulators;
  known.statistic.order.tail = statistic.order.tail;
  known.statistic.order.combine = statistic.order.combine;
  known.statistic.order.threads = statistic.order.threads;
  known.statistic.order.vector = statistic.order.vector;
  known.statistic.order.per_element = statistic.order.per_element;
  known.statistic.order.warp = statistic.order.warp;
  known.statistic.order.across = statistic.order.across;
  known.statistic.order.fma = statistic.order.fma;
  known.statistic.order.depth = statistic.order.depth;
  known.epsilon.position = recipe.epsilon.position;
  known.epsilon.dtype = recipe.epsilon.dtype;
  known.epsilon.preset = recipe.epsilon.preset;
  known.root.kind = recipe.root.kind;
  known.root.rounding = recipe.root.rounding;
  known.root.max_ulp = recipe.root.max_ulp;
  known.root.newton_steps = recipe.root.newton_steps;
  known.statistic_rounding = recipe.statistic_rounding;
  known.association = recipe.association;
  known.cast = recipe.cast;
  known.weight.form = recipe.weight.form;
  known.weight.offset_dtype = recipe.weight.offset_dtype;
  known.residual = recipe.residual;
  known.output = recipe.output;
  known.rsqrt_table = recipe.rsqrt_table;
  known.contract = recipe.contract;
  return known;
}

struct Operations {
  const FloatFormat* between;
  const FloatFormat* result;
};

// As RowEvaluator::tail rounds; `gain` is nullptr where there is none.
Operations tail_operations(Association association, const StepFormats& formats,
                           const FloatFormat* gain) {
  const FloatFormat& compute = *formats.compute;
  switch (association) {
    case Association::kXTimesRw:
    case Association::kWOverRmsX: {
      if (gain == nullptr) return {&compute, &compute};
      const FloatFormat& scaled = promoted(*gain, compute);
      return {&scaled, &promoted(compute, scaled)};
    }
    case Association::kXwThenR:
    case Association::kXwOverRms: {
      if (gain == nullptr) return {&compute, &compute};
      const FloatFormat& product = promoted(compute, *gain);
      return {&product, &promoted(product, compute)};
    }
    default:
      if (gain == nullptr) return {formats.cast, formats.cast};
      return {formats.cast, &promoted(*formats.cast, *gain)};
  }
}

}  // namespace

bool vectors_emulate(const Recipe& recipe, const BlockInput& input) {
  return hardware_emulates(recipe) && understood(recipe.statistic) &&
         understood(recipe.epsilon.position) && understood(recipe.association) &&
         understood(recipe.cast) && understood(recipe.weight) && understood(recipe.residual) &&
         understood(recipe.contract) && vector_formats(recipe, input) &&
         differences(known_part(recipe), recipe).empty();
}

std::optional<VectorFormats> vector_formats(const Recipe& recipe, const BlockInput& input) {
  const FloatFormat* weight = input.weight ? input.weight->format : nullptr;
  const StepFormats formats = step_formats(recipe, *input.x.format, weight);
  if (!(*formats.accumulate == kFp32)) return {};
  // A narrower compute format must be T, and what is cast to it then.
  const bool narrow = !(*formats.compute == kFp32);
  if (narrow && !(*formats.compute == *formats.input && *formats.cast == *formats.input)) return {};

  const bool other_residual = recipe.convert_inputs == InputConversion::kNone && input.residual &&
                              !(*input.residual->format == *input.x.format);
  if (other_residual) return {};

  const FloatFormat* gain = nullptr;
  if (weight != nullptr && recipe.weight.form != WeightForm::kNone) {
    gain = recipe.weight.form == WeightForm::kW ? formats.weight : formats.offset;
  }
  const Operations tail = tail_operations(recipe.association, formats, gain);
  const bool sum_rounded =
      recipe.residual == ResidualMode::kNone || recipe.residual == ResidualMode::kRounded;
  const FloatFormat& sum =
      sum_rounded ? *formats.input : promoted(*formats.compute, *formats.input);

  const auto x = float_storage(*input.x.format);
  const auto residual = input.residual ? float_storage(*input.residual->format) : x;
  const auto weight_storage = weight == nullptr ? x : float_storage(*weight);
  const auto in = float_storage(*formats.input);
  const auto added = float_storage(sum);
  const auto square = float_storage(*formats.square);
  const auto between = float_storage(*tail.between);
  const auto result = float_storage(*tail.result);
  const auto output = float_storage(*formats.output);
  if (!x || !residual || !weight_storage || !in || !added || !square || !between || !result ||
      !output) {
    return {};
  }
  return VectorFormats{*x, *residual, *in, *added, *square, *between, *result, *output};
}

}  // namespace normcert
