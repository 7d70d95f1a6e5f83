#include "inference/recipe_hypothesis.hpp"

#include <string>

#include "emulation/emulate.hpp"
#include "emulation/step_formats.hpp"
#include "inference/input_view.hpp"

namespace normcert {
namespace {

bool is_narrow(const FloatFormat& format) { return format.precision < kFp32.precision; }

// The statistics that are hypotheses only where nothing on the way to them is narrow.
std::optional<std::string> wide_statistic(StatisticKind kind) {
  switch (kind) {
    case StatisticKind::kSumSquare:
      return "sum_square";
    case StatisticKind::kMeanSquareNMinus1:
      return "mean_square_n_minus_1";
    case StatisticKind::kVariance:
      return "variance";
    case StatisticKind::kPartial:
    case StatisticKind::kMeanSquare:
      break;
  }
  return std::nullopt;
}

std::optional<std::string> statistic_of(const Recipe& recipe, const StepFormats& formats) {
  const StatisticStep& statistic = recipe.statistic;
  if (statistic.kind != StatisticKind::kMeanSquare) {
    const bool rounded =
        is_narrow(*formats.input) && recipe.statistic_rounding != StatisticRounding::kNone;
    const bool narrow = is_narrow(*formats.accumulate) || is_narrow(*formats.compute) ||
                        is_narrow(*formats.square) || rounded;
    return narrow ? std::nullopt : wide_statistic(statistic.kind);
  }
  if (is_narrow(*formats.accumulate)) return "accumulated_in_input_dtype";
  if (is_narrow(*formats.compute)) return "all_in_input_dtype";
  if (is_narrow(*formats.input)) {
    switch (recipe.statistic_rounding) {
      case StatisticRounding::kMean:
        return "mean_in_input_dtype";
      case StatisticRounding::kRms:
        return "rms_in_input_dtype";
      case StatisticRounding::kRstd:
        return "rstd_in_input_dtype";
      case StatisticRounding::kAll:
        return std::nullopt;
      case StatisticRounding::kNone:
        break;
    }
  }
  return is_narrow(*formats.square) ? "squares_in_input_dtype" : "mean_square";
}

std::string placement_of(EpsilonPosition position) {
  switch (position) {
    case EpsilonPosition::kInside:
    case EpsilonPosition::kOnSum:  // epsilon / n
      return "inside";
    case EpsilonPosition::kOutside:
      return "outside";
    case EpsilonPosition::kAfterRsqrt:
      return "after_rsqrt";
    case EpsilonPosition::kClampQ:
    case EpsilonPosition::kClampRms:  // epsilon^2
    case EpsilonPosition::kClampRmsSqrtN:
      return "clamp_q";
    case EpsilonPosition::kScaledByMax:
      return "scaled_by_max";
    case EpsilonPosition::kNone:
      break;
  }
  return "none";
}

std::string rounding_of(const Recipe& recipe, const StepFormats& formats, const FloatFormat& x,
                        const FloatFormat& y, const FloatFormat* weight, bool has_gain) {
  if (is_narrow(*formats.compute)) return "every_op";
  const bool casts = is_narrow(*formats.cast) && (has_gain || !(*formats.cast == y)) &&
                     recipe.association != Association::kXTimesRw &&
                     recipe.association != Association::kXwThenR &&
                     recipe.association != Association::kXwOverRms &&
                     recipe.association != Association::kWOverRmsX;
  if (!casts) return is_narrow(x) || is_narrow(y) ? "after_weight" : "none";
  if (*formats.cast == x || weight == nullptr) return "before_weight";
  return "before_weight_to_weight_dtype";
}

// Whether outputs of the recipe may be stored in that format: its own, or that of everything that
// it computes, since a conversion to a wider one changes nothing.
bool writes(const Recipe& recipe, const StepFormats& formats, const FloatFormat& x,
            const FloatFormat* weight, const FloatFormat& y) {
  const FloatFormat& own = emulated_format(recipe, x, weight);
  if (own == y) return true;
  return is_narrow(*formats.compute) && y == *formats.compute && own == kFp32;
}

}  // namespace

std::optional<Hypothesis> hypothesis_of_recipe(const Recipe& recipe, const ObservedNorm& norm) {
  const Case& value = *norm.value;
  const FloatFormat& captured = *value.x.format;
  const FloatFormat* weight = value.weight ? value.weight->format : nullptr;
  if (captured.precision > kFp32.precision || find_conflict(recipe)) return std::nullopt;
  const StepFormats formats = step_formats(recipe, captured, weight);
  if (!writes(recipe, formats, captured, weight, *norm.y.format)) return std::nullopt;
  if (recipe.before != PreStep::kNone || recipe.gate != GateMode::kNone) return std::nullopt;
  InputView view;
  if (is_narrow(*formats.input) && !(*formats.input == captured)) view.format = formats.input;
  const FloatFormat& x = view.format != nullptr ? *view.format : captured;
  if (recipe.statistic.group) {
    view.group = static_cast<std::size_t>(*recipe.statistic.group);
    if (view.group == value.x.width) view.group = 0;
  }
  // Both at once are no hypothesis.
  if (view.group != 0 && view.format != nullptr) return std::nullopt;
  const auto statistic = statistic_of(recipe, formats);
  if (!statistic) return std::nullopt;
  const bool keeps_sum = recipe.residual == ResidualMode::kUnrounded ||
                         recipe.residual == ResidualMode::kUnroundedStatistic;
  if (*statistic == "variance" && value.residual && is_narrow(x) && keeps_sum) return std::nullopt;
  Hypothesis hypothesis;
  hypothesis.statistic = view.statistic(*statistic);
  hypothesis.placement = placement_of(recipe.epsilon.position);
  const bool has_gain = weight != nullptr && recipe.weight.form != WeightForm::kNone;
  hypothesis.rounding = rounding_of(recipe, formats, x, *norm.y.format, weight, has_gain);
  if (weight == nullptr) {
    hypothesis.weight_use = "none";
  } else if (!has_gain) {
    hypothesis.weight_use = "ignored";
  } else {
    const bool is_cast = is_narrow(*formats.weight) && !(*formats.weight == *weight);
    hypothesis.weight_use = is_cast ? "cast_to_input" : "used";
    const bool one = recipe.weight.form == WeightForm::kOnePlusW;
    const bool given = recipe.weight.form == WeightForm::kOffsetPlusW;
    const double offset = one ? 1 : given ? value.weight_offset.binary64 : 0;
    hypothesis.weight_offset = offset == 0 ? "0" : offset == 1 ? "1" : value.weight_offset.text;
    if (offset != 0 && (is_cast || is_narrow(*weight))) {
      // That of binary32 leaves open whether and how the sum is rounded there.
      const bool narrow =
          recipe.weight.offset_dtype != OffsetFormat::kExact && is_narrow(*formats.offset);
      hypothesis.rounding += ", offset " + std::string((narrow ? *formats.offset : kFp32).name);
    }
  }
  if (recipe.rounding == StoreRounding::kTruncate && is_narrow(*norm.y.format)) {
    hypothesis.rounding += ", truncated";
  }
  hypothesis.rounding = view.rounding(hypothesis.rounding);
  if (value.residual) {
    hypothesis.residual = "rounded";
    if (is_narrow(x) && recipe.residual == ResidualMode::kUnrounded) {
      hypothesis.residual = "unrounded";
    }
    if (is_narrow(x) && recipe.residual == ResidualMode::kUnroundedStatistic) {
      hypothesis.residual = "unrounded_statistic";
    }
  }
  return hypothesis;
}

}  // namespace normcert
