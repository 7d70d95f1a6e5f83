#include "inference/conforming_set.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "emulation/emulate.hpp"
#include "emulation/step_formats.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

constexpr std::array kAssociations = {Association::kXrThenW,   Association::kXTimesRw,
                                      Association::kXwThenR,   Association::kXOverRmsW,
                                      Association::kXwOverRms, Association::kWOverRmsX,
                                      Association::kFmaXrWXr};
constexpr std::array kCasts = {CastPoint::kBeforeWeight, CastPoint::kBeforeWeightToWeightDtype,
                               CastPoint::kAfterWeight};
constexpr std::array kOffsetFormats = {OffsetFormat::kBinary32, OffsetFormat::kWeight,
                                       OffsetFormat::kExact};
constexpr std::array kResidualModes = {ResidualMode::kRounded, ResidualMode::kUnrounded,
                                       ResidualMode::kUnroundedStatistic};
constexpr std::array kOutputs = {OutputFormat::kInput, OutputFormat::kWeight,
                                 OutputFormat::kPromote, OutputFormat::kBinary32};

// Of an activation. GPUs take e^-g as a power of two of the binary32 product -g log2(e), which is
// below 128 where e^-g is finite: its rounding and that of the constant are at most 2^-18 + 2^-18
// together, 92 u of e^-g, and ex2.approx adds 2 ulp. Divisions by div.full are within 2 ulp; two
// products in place of the quotient add two roundings: 6 u, up to 6 codes of a quotient, and what
// second order leaves.
constexpr ActivationStep kGateFreedom = {.max_ulp = 128, .division_max_ulp = 8};
constexpr int kGreatestDivisionUlp = 2;

// Whether the recipe has the setting's gate, or neither has one, and its activation is no freer
// than that.
bool has_declared_gate(const Recipe& recipe, const RoundingSetting& setting) {
  if (recipe.gate != setting.gate) return false;
  if (recipe.gate == GateMode::kNone) return true;
  const ActivationStep& step = recipe.activation;
  return step.kind == setting.activation && step.max_ulp <= kGateFreedom.max_ulp &&
         step.division_max_ulp <= kGreatestDivisionUlp;
}

// Whether the recipe's gain is the declared one, whatever its rounding.
bool has_declared_gain(const WeightStep& step, const RoundingSetting& setting) {
  if (setting.weight == nullptr) return true;
  switch (step.form) {
    case WeightForm::kW:
      return setting.weight_offset == 0;
    case WeightForm::kOnePlusW:
      return setting.weight_offset == 1;
    case WeightForm::kOffsetPlusW:
      return true;
    case WeightForm::kNone:
      return false;
  }
  return false;
}

// A reciprocal root within 2 ulp of the exact one is inside the freedom of the scalar; a Newton
// step on such a one stays there.
bool has_ordinary_root(const RootStep& root) {
  return root.kind != RootKind::kRsqrtApprox || root.max_ulp <= RootStep{}.max_ulp;
}

Association merged_association(const Recipe& recipe, bool has_weight) {
  if (has_weight) {
    return recipe.association == Association::kFmaXrWXr ? Association::kXrThenW
                                                        : recipe.association;
  }
  switch (recipe.association) {
    case Association::kXOverRmsW:
    case Association::kXwOverRms:
      return Association::kXOverRmsW;
    default:
      return Association::kXr;  // (w/rms)*x too: 1/rms is an inverse RMS like any other
  }
}

WeightStep merged_weight(const Recipe& recipe, const StepFormats& formats,
                         const RoundingSetting& setting) {
  WeightStep step;
  if (setting.weight == nullptr) {
    step.form = WeightForm::kNone;
  } else if (setting.weight_offset != 0) {  // adding 0 rounds nothing
    step.form = setting.weight_offset == 1 ? WeightForm::kOnePlusW : WeightForm::kOffsetPlusW;
    if (recipe.weight.offset_dtype == OffsetFormat::kExact) {
      step.offset_dtype = OffsetFormat::kExact;
    } else if (!(*formats.offset == kFp32)) {
      step.offset_dtype = OffsetFormat::kWeight;
    }
  }
  return step;
}

CastPoint merged_cast(const StepFormats& formats, const RoundingSetting& setting) {
  // A gate that follows is no conversion.
  const bool converts_twice_alike =
      setting.weight == nullptr && setting.gate != GateMode::kAfter && *formats.cast == *setting.y;
  if (*formats.cast == *formats.compute || converts_twice_alike) return CastPoint::kAfterWeight;
  return *formats.cast == *setting.x ? CastPoint::kBeforeWeight
                                     : CastPoint::kBeforeWeightToWeightDtype;
}

std::optional<OutputFormat> merged_output(Recipe recipe, const RoundingSetting& setting) {
  for (const OutputFormat output : kOutputs) {
    recipe.output = output;
    if (emulated_format(recipe, *setting.x, setting.weight) == *setting.y) return output;
  }
  return std::nullopt;
}

bool cast_can_matter(const RoundingSetting& setting) {
  if (setting.weight == nullptr && setting.gate != GateMode::kAfter) {
    return !(*setting.x == *setting.y) && !(*setting.x == kFp32);
  }
  if (setting.weight == nullptr) return setting.x->precision < kFp32.precision;
  return setting.x->precision < kFp32.precision || setting.weight->precision < kFp32.precision;
}

// What names a class, in the order of the steps.
std::vector<std::string> words_of(const Recipe& recipe, const RoundingSetting& setting) {
  std::vector<std::string> words;
  if (cast_can_matter(setting)) words.push_back("cast " + std::string(name_of(recipe.cast)));
  const bool bare = setting.weight == nullptr && recipe.association == Association::kXOverRmsW;
  words.emplace_back(bare ? "x/rms" : name_of(recipe.association));
  if (setting.weight != nullptr && setting.weight_offset != 0) {
    words.push_back("offset " + std::string(name_of(recipe.weight.offset_dtype)));
  }
  if (setting.residual && !(*setting.x == kFp32)) {
    words.push_back("residual " + std::string(name_of(recipe.residual)));
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

RoundingSetting rounding_setting(const Case& value, const FloatFormat& y) {
  return {.x = value.x.format,
          .weight = value.weight ? value.weight->format : nullptr,
          .y = &y,
          .weight_offset = value.weight_offset.binary64,
          .residual = value.residual.has_value(),
          .gate = value.gate ? value.gate->mode : GateMode::kNone,
          .activation = value.gate ? value.gate->activation : Activation::kSilu};
}

std::optional<RoundingClass> rounding_class_of(const Recipe& recipe,
                                               const RoundingSetting& setting) {
  if (setting.x->precision > kFp32.precision || recipe.convert_inputs != InputConversion::kNone ||
      recipe.rounding != StoreRounding::kNearestEven || recipe.cast == CastPoint::kEveryOp ||
      !has_declared_gain(recipe.weight, setting) || !has_declared_gate(recipe, setting) ||
      !has_ordinary_root(recipe.root) || find_conflict(recipe) ||
      !(emulated_format(recipe, *setting.x, setting.weight) == *setting.y)) {
    return std::nullopt;
  }
  const StepFormats formats = step_formats(recipe, *setting.x, setting.weight);
  if (!(*formats.compute == kFp32)) return std::nullopt;
  RoundingClass merged;
  Recipe& one = merged.recipe;
  one.association = merged_association(recipe, setting.weight != nullptr);
  if (divides_by_rms(one.association)) one.root.kind = RootKind::kDivideBySqrt;
  one.cast = merged_cast(formats, setting);
  one.weight = merged_weight(recipe, formats, setting);
  one.gate = setting.gate;
  if (setting.gate != GateMode::kNone) {
    one.activation = kGateFreedom;
    one.activation.kind = setting.activation;
  }
  if (setting.residual) {
    // In binary32 the sum is rounded to the same format everywhere.
    const bool alike = *setting.x == kFp32 || recipe.residual == ResidualMode::kNone;
    one.residual = alike ? ResidualMode::kRounded : recipe.residual;
  }
  if (const auto output = merged_output(one, setting)) one.output = *output;
  if (find_conflict(one) || !hardware_emulates(one)) return std::nullopt;
  merged.name = "conforming: " + joined(words_of(one, setting));
  one.name = merged.name;
  return merged;
}

std::vector<RoundingClass> conforming_set(const RoundingSetting& setting) {
  std::vector<RoundingClass> classes;
  const auto add = [&](const Recipe& recipe) {
    auto one = rounding_class_of(recipe, setting);
    if (one && std::ranges::find(classes, one->name, &RoundingClass::name) == classes.end()) {
      classes.push_back(std::move(*one));
    }
  };
  Recipe recipe;
  const auto output = merged_output(recipe, setting);
  if (!output) return classes;
  recipe.output = *output;
  recipe.gate = setting.gate;
  recipe.activation.kind = setting.activation;
  const bool has_offset = setting.weight != nullptr && setting.weight_offset != 0;
  if (has_offset) {
    recipe.weight.form =
        setting.weight_offset == 1 ? WeightForm::kOnePlusW : WeightForm::kOffsetPlusW;
  }
  for (const ResidualMode residual : kResidualModes) {
    recipe.residual = residual;
    for (const CastPoint cast : kCasts) {
      recipe.cast = cast;
      for (const OffsetFormat offset : kOffsetFormats) {
        recipe.weight.offset_dtype = offset;
        for (const Association association : kAssociations) {
          recipe.association = association;
          recipe.root.kind =
              divides_by_rms(association) ? RootKind::kDivideBySqrt : RootKind::kReciprocalOfSqrt;
          add(recipe);
        }
      }
    }
  }
  return classes;
}

std::vector<std::string> distinguishing(const RoundingClass& a, const RoundingClass* b,
                                        const RoundingSetting& setting) {
  std::vector<std::string> words = words_of(a.recipe, setting);
  if (b == nullptr) return words;
  const std::vector<std::string> others = words_of(b->recipe, setting);
  std::erase_if(words, [&](const std::string& word) {
    return std::ranges::find(others, word) != others.end();
  });
  return words;
}

}  // namespace normcert
