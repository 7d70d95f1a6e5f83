#include "inference/synthetic_ports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "generate/standard_set.hpp"
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
constexpr std::array<std::string_view, 10> kDefects = {
    "epsilon_x10",         "epsilon_div10",   "epsilon_dropped", "epsilon_outside",
    "epsilon_after_rsqrt", "mean_subtracted", "weight_ignored",  "offset_missing",
    "offset_added",        "offset_doubled"};

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

// What a port runs with.
struct Parameters {
  Recipe recipe;
  double epsilon = 0;
  double weight_offset = 0;
};

// The declared offset, where a defect needs one.
std::optional<WeightOffset> offset_for(std::string_view defect) {
  if (defect == "offset_added") return WeightOffset{"0", 0};
  if (defect == "offset_missing" || defect == "offset_doubled") return WeightOffset{"1", 1};
  return std::nullopt;
}

void spoil(std::string_view defect, Parameters& port) {
  Recipe& recipe = port.recipe;
  if (defect == "epsilon_x10") port.epsilon *= 10;
  if (defect == "epsilon_div10") port.epsilon /= 10;
  if (defect == "epsilon_dropped") recipe.epsilon.position = EpsilonPosition::kNone;
  if (defect == "epsilon_outside") recipe.epsilon.position = EpsilonPosition::kOutside;
  if (defect == "epsilon_after_rsqrt") recipe.epsilon.position = EpsilonPosition::kAfterRsqrt;
  if (defect == "mean_subtracted") recipe.statistic.kind = StatisticKind::kVariance;
  if (defect == "weight_ignored") recipe.weight = {.form = WeightForm::kNone};
  if (defect.starts_with("offset_")) {
    port.weight_offset = defect == "offset_missing" ? 0 : defect == "offset_added" ? 1 : 2;
    recipe.weight.form = WeightForm::kOffsetPlusW;
    recipe.weight.offset_dtype = OffsetFormat::kBinary32;
    if (port.weight_offset == 0) recipe.weight.form = WeightForm::kW;
  }
  if (divides_by_rms(recipe.association) &&
      recipe.epsilon.position == EpsilonPosition::kAfterRsqrt) {
    recipe.association = Association::kXrThenW;
    recipe.root.kind = RootKind::kReciprocalOfSqrt;
  }
  const bool needs_root = recipe.epsilon.position == EpsilonPosition::kOutside;
  if (needs_root && recipe.root.kind == RootKind::kRsqrtApprox) {
    recipe.root.kind = RootKind::kReciprocalOfSqrt;
  }
  if (recipe.association == Association::kFmaXrWXr) recipe.association = Association::kXrThenW;
}

EmulatedBlock outputs_of(const Parameters& port, const Case& value) {
  return emulate_block(port.recipe, {.x = value.x,
                                     .residual = value.residual,
                                     .weight = value.weight,
                                     .weight_offset = port.weight_offset,
                                     .epsilon = port.epsilon});
}

std::size_t width_of(Dice& dice, std::size_t most_width) {
  const double octaves = std::log2(static_cast<double>(most_width) / 32);
  return static_cast<std::size_t>(32 * std::exp2(octaves * dice.uniform()));
}

}  // namespace

SyntheticPort synthetic_port(std::uint64_t number, std::size_t most_width, bool defective) {
  Dice dice(number);
  SyntheticPort port;
  const FloatFormat& format = *dice.of(kFormats);
  const auto epsilon = dice.of(kEpsilons);
  const std::size_t width = width_of(dice, most_width);
  if (defective) port.defect = dice.of(kDefects);
  Case& value = port.value;
  const std::size_t rows = 6 + dice.below(10);
  value.x = rows_of(dice, format, rows, width, epsilon.value).share();
  if (dice.below(4) == 0) {
    value.residual = rows_of(dice, format, rows, width, epsilon.value).share();
  }
  value.epsilon = {epsilon.text, epsilon.value};
  value.weight_offset_given = true;
  if (dice.below(4) == 0) value.weight_offset = {"1", 1};
  if (const auto offset = offset_for(port.defect)) value.weight_offset = *offset;
  const bool has_weight = defective || dice.below(8) != 0;
  if (has_weight) {
    const FloatFormat& weight = dice.below(4) == 0 ? kFp32 : format;
    value.weight = weight_of(dice, weight, width, value.weight_offset.binary64).share();
  } else {
    value.weight_none = true;
  }
  const FloatFormat& y =
      has_weight && *value.weight->format == kFp32 && dice.below(2) == 0 ? kFp32 : format;
  Parameters parameters{recipe_of(dice, rounding_setting(value, y)), epsilon.value,
                        value.weight_offset.binary64};
  spoil(port.defect, parameters);
  EmulatedBlock outputs = outputs_of(parameters, value);
  port.y = std::move(outputs.y).share();
  if (outputs.residual_out) port.residual_out = std::move(*outputs.residual_out).share();
  port.recipe = std::move(parameters.recipe);
  return port;
}

StandardPort standard_port(std::uint64_t number, std::size_t most_width) {
  Dice dice(number);
  StandardPort port;
  port.defect = dice.of(kDefects);
  StandardSpec spec;
  spec.format = dice.of(kFormats);
  spec.weight_format = dice.below(4) == 0 ? &kFp32 : spec.format;
  spec.width = width_of(dice, most_width);
  const auto epsilon = dice.of(kEpsilons);
  spec.epsilon = {epsilon.text, epsilon.value};
  if (dice.below(4) == 0) spec.weight_offset = {"1", 1};
  if (const auto offset = offset_for(port.defect)) spec.weight_offset = *offset;
  spec.seed = number;
  port.cases = standard_set(spec).cases;
  Parameters parameters{recipe_of(dice, rounding_setting(port.cases.front(), *spec.format)),
                        epsilon.value, spec.weight_offset.binary64};
  spoil(port.defect, parameters);
  for (const Case& value : port.cases) {
    port.y.push_back(std::move(outputs_of(parameters, value).y).share());
  }
  port.recipe = std::move(parameters.recipe);
  return port;
}

std::optional<Hypothesis> hypothesis_of_port(const SyntheticPort& port, const ObservedNorm& norm) {
  const bool added = port.defect == "offset_added";
  if (!added && port.defect != "offset_doubled") return hypothesis_of_recipe(port.recipe, norm);
  Case with_offset = *norm.value;
  with_offset.weight_offset = added ? WeightOffset{"1", 1} : WeightOffset{"2", 2};
  return hypothesis_of_recipe(port.recipe, {norm.site, &with_offset, norm.y});
}

PortVerdict judged(const SyntheticPort& port) {
  const ObservedNorm norm{.site = "norm", .value = &port.value, .y = port.y};
  const Elimination result = eliminate({&norm, 1}, {}).joint;
  PortVerdict verdict{.declared = result.declared, .outcome = result.outcome, .truth = {}};
  const auto truth = hypothesis_of_port(port, norm);
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

namespace {

std::string described(std::uint64_t number, const Case& value, const Recipe& recipe,
                      const std::string& defect) {
  return "port " + std::to_string(number) + ": " + std::string(value.x.format->name) +
         " n=" + std::to_string(value.x.width) + " rows=" + std::to_string(value.x.rows) +
         " eps=" + value.epsilon.text + " offset=" + value.weight_offset.text +
         (value.residual ? " residual " : " ") + recipe.name +
         (defect.empty() ? "" : ", defect " + defect);
}

}  // namespace

std::string described(std::uint64_t number, const SyntheticPort& port) {
  return described(number, port.value, port.recipe, port.defect);
}

std::string described(std::uint64_t number, const StandardPort& port) {
  return described(number, port.cases.front(), port.recipe, port.defect);
}

}  // namespace normcert
