#include "inference/synthetic_ports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "inference/conforming_set.hpp"
#include "inference/recipe_hypothesis.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t number) : random_(number, "synthetic ports") {}

  std::size_t below(std::size_t count) { return random_.bits(next_++) % count; }
  double uniform() { return random_.uniform(next_++); }
  double normal() { return random_.normal(next_++); }

  template <typename List>
  auto of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  RandomStream random_;
  std::uint64_t next_ = 0;
};

constexpr std::array kFormats = {&kBf16, &kBf16, &kFp16, &kFp16, &kFp32};
struct DeclaredEpsilon {
  const char* text;
  double value;
};
constexpr std::array<DeclaredEpsilon, 4> kEpsilons = {
    {{"1e-5", 1e-5}, {"1e-6", 1e-6}, {"1e-3", 1e-3}, {"1e-4", 1e-4}}};
constexpr std::array kDefects = {"epsilon_x10",     "epsilon_div10", "epsilon_dropped",
                                 "epsilon_outside", "after_rsqrt",   "mean_subtracted",
                                 "weight_ignored",  "other_offset"};

// Rows with q from a hundredth of epsilon to some thousands, a channel or two far greater.
Tensor rows_of(Dice& dice, const FloatFormat& format, std::size_t rows, std::size_t width,
               double epsilon) {
  Tensor x(format, rows, width);
  const std::size_t outlier = dice.below(width);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool small = row % 2 == 0;
    const double rms = small ? std::sqrt(epsilon * std::pow(10.0, 3 * dice.uniform() - 1.5))
                             : std::pow(10.0, 3 * dice.uniform() - 2);
    for (std::size_t i = 0; i < width; ++i) {
      const double scale = i == outlier && !small ? 20 * rms : rms;
      x.set(row, i, convert(code_of(dice.normal() * scale), format));
    }
  }
  return x;
}

Tensor weight_of(Dice& dice, const FloatFormat& format, std::size_t width, double offset) {
  Tensor weight(format, 1, width);
  for (std::size_t i = 0; i < width; ++i) {
    const double value = 1 - offset + 0.25 * dice.normal();
    weight.set(0, i, convert(code_of(value), format));
  }
  return weight;
}

SummationOrder order_of(Dice& dice) {
  SummationOrder order;
  switch (dice.below(6)) {
    case 0:
      order.kind = OrderKind::kSequential;
      break;
    case 1:
      order.kind = OrderKind::kPairwise;
      break;
    case 2:
      order.kind = OrderKind::kLanes;
      order.lanes = 8;
      order.accumulators = 2;
      break;
    case 3:
      order.kind = OrderKind::kTorchCascade;
      break;
    case 4:
      order.kind = OrderKind::kBlockTree;
      order.vector = 4;
      break;
    default:
      break;
  }
  return order;
}

Recipe recipe_of(Dice& dice, const RoundingSetting& setting) {
  const std::vector<RoundingClass> classes = conforming_set(setting);
  Recipe recipe = classes[dice.below(classes.size())].recipe;
  recipe.statistic.order = order_of(dice);
  if (dice.below(2) == 0) recipe.statistic.mean = MeanStep::kMultiplyReciprocal;
  if (!divides_by_rms(recipe.association) && dice.below(2) == 0) {
    recipe.root.kind = RootKind::kRsqrtApprox;
  }
  if (dice.below(8) == 0) recipe.statistic.accumulate = Accumulation::kBinary64;
  return recipe;
}

void spoil(SyntheticPort& port) {
  Recipe& recipe = port.recipe;
  if (port.defect == "epsilon_x10") port.epsilon *= 10;
  if (port.defect == "epsilon_div10") port.epsilon /= 10;
  if (port.defect == "epsilon_dropped") recipe.epsilon.position = EpsilonPosition::kNone;
  if (port.defect == "epsilon_outside") recipe.epsilon.position = EpsilonPosition::kOutside;
  if (port.defect == "after_rsqrt") recipe.epsilon.position = EpsilonPosition::kAfterRsqrt;
  if (port.defect == "mean_subtracted") recipe.statistic.kind = StatisticKind::kVariance;
  if (port.defect == "weight_ignored") recipe.weight = {.form = WeightForm::kNone};
  if (port.defect == "other_offset") {
    recipe.weight.form =
        recipe.weight.form == WeightForm::kW ? WeightForm::kOnePlusW : WeightForm::kW;
    recipe.weight.offset_dtype = OffsetFormat::kBinary32;
  }
  if (divides_by_rms(recipe.association) &&
      recipe.epsilon.position == EpsilonPosition::kAfterRsqrt) {
    recipe.association = Association::kXrThenW;
    recipe.root.kind = RootKind::kReciprocalOfSqrt;
  }
  if (recipe.association == Association::kFmaXrWXr) recipe.association = Association::kXrThenW;
}

}  // namespace

SyntheticPort synthetic_port(std::uint64_t number, std::size_t most_width, bool defective) {
  Dice dice(number);
  SyntheticPort port;
  const FloatFormat& format = *dice.of(kFormats);
  const auto epsilon = dice.of(kEpsilons);
  const double octaves = std::log2(static_cast<double>(most_width) / 32);
  const auto width = static_cast<std::size_t>(32 * std::exp2(octaves * dice.uniform()));
  Case& value = port.value;
  value.x = rows_of(dice, format, 6 + dice.below(10), width, epsilon.value).share();
  value.epsilon = {epsilon.text, epsilon.value};
  value.weight_offset_given = true;
  if (dice.below(4) == 0) value.weight_offset = {"1", 1};
  const bool has_weight = defective || dice.below(8) != 0;
  if (has_weight) {
    const FloatFormat& weight = dice.below(4) == 0 ? kFp32 : format;
    value.weight = weight_of(dice, weight, width, value.weight_offset.binary64).share();
  } else {
    value.weight_none = true;
  }
  const FloatFormat& y =
      has_weight && *value.weight->format == kFp32 && dice.below(2) == 0 ? kFp32 : format;
  port.recipe = recipe_of(dice, rounding_setting(value, y));
  port.epsilon = epsilon.value;
  if (defective) {
    port.defect = dice.of(kDefects);
    spoil(port);
  }
  port.y = std::move(emulate_block(port.recipe, {.x = value.x,
                                                 .residual = {},
                                                 .weight = value.weight,
                                                 .weight_offset = value.weight_offset.binary64,
                                                 .epsilon = port.epsilon})
                         .y)
               .share();
  return port;
}

PortVerdict judged(const SyntheticPort& port) {
  const ObservedNorm norm{.site = "norm", .value = &port.value, .y = port.y};
  const Elimination result = eliminate({&norm, 1}, {}).joint;
  PortVerdict verdict{.declared = result.declared, .outcome = result.outcome, .truth = {}};
  const auto truth = hypothesis_of_recipe(port.recipe, norm);
  if (!truth) return verdict;
  verdict.truth = HypothesisStatus::kRefuted;
  verdict.slack_of_truth = std::numeric_limits<double>::infinity();
  for (const EliminatedHypothesis& one : result.hypotheses) {
    if (!(one.hypothesis == *truth)) continue;
    verdict.truth = one.status;
    verdict.slack_of_truth = one.least_slack;
  }
  return verdict;
}

std::string described(std::uint64_t number, const SyntheticPort& port) {
  return "port " + std::to_string(number) + ": " + std::string(port.value.x.format->name) +
         " n=" + std::to_string(port.value.x.width) + " rows=" + std::to_string(port.value.x.rows) +
         " eps=" + port.value.epsilon.text + " offset=" + port.value.weight_offset.text + " " +
         port.recipe.name + (port.defect.empty() ? "" : ", defect " + port.defect);
}

}  // namespace normcert
