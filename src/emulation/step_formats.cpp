#include "emulation/step_formats.hpp"

namespace normcert {
namespace {

bool holds(const FloatFormat& wide, const FloatFormat& narrow) {
  return wide.precision >= narrow.precision && wide.emax >= narrow.emax &&
         wide.quantum_exponent() <= narrow.quantum_exponent();
}

const FloatFormat& converted(InputConversion conversion, const FloatFormat& given) {
  switch (conversion) {
    case InputConversion::kNone:
      return given;
    case InputConversion::kBinary16:
      return kFp16;
    case InputConversion::kBfloat16:
      return kBf16;
    case InputConversion::kBinary32:
      return kFp32;
    case InputConversion::kBinary64:
      return kFp64;
  }
  return given;
}

const FloatFormat& compute_format(const Recipe& recipe, const FloatFormat& input) {
  if (recipe.cast == CastPoint::kEveryOp) return input;
  switch (recipe.compute) {
    case ComputeFormat::kBinary32:
      return kFp32;
    case ComputeFormat::kAtLeastFp32:
      return promoted(input, kFp32);
    case ComputeFormat::kBinary64:
      return kFp64;
  }
  return kFp32;
}

const FloatFormat& named(StepFormat name, const StepFormats& formats) {
  switch (name) {
    case StepFormat::kBinary32:
      return promoted(*formats.compute, kFp32);
    case StepFormat::kBinary64:
      return kFp64;
    case StepFormat::kInput:
      return *formats.input;
  }
  return kFp32;
}

const FloatFormat& accumulate_format(Accumulation name, const StepFormats& formats) {
  switch (name) {
    case Accumulation::kBinary64:
      return kFp64;
    case Accumulation::kInput:
      return *formats.input;
    case Accumulation::kBinary32:
    case Accumulation::kExact:
    case Accumulation::kKahan:
      break;
  }
  return promoted(*formats.compute, kFp32);
}

const FloatFormat& cast_format(CastPoint cast, const StepFormats& formats) {
  switch (cast) {
    case CastPoint::kBeforeWeight:
      return *formats.input;
    case CastPoint::kBeforeWeightToWeightDtype:
      return holds(*formats.weight, kFp32) ? *formats.compute : *formats.weight;
    case CastPoint::kAfterWeight:
    case CastPoint::kEveryOp:
    case CastPoint::kNone:
      break;
  }
  return *formats.compute;
}

const FloatFormat& output_format(OutputFormat name, const FloatFormat& x,
                                 const FloatFormat& weight) {
  switch (name) {
    case OutputFormat::kInput:
      return x;
    case OutputFormat::kWeight:
      return weight;
    case OutputFormat::kPromote:
      return promoted(x, weight);
    case OutputFormat::kBinary32:
      return kFp32;
  }
  return x;
}

}  // namespace

const FloatFormat& promoted(const FloatFormat& a, const FloatFormat& b) {
  if (holds(a, b)) return a;
  if (holds(b, a)) return b;
  return holds(kFp32, a) && holds(kFp32, b) ? kFp32 : kFp64;
}

StepFormats step_formats(const Recipe& recipe, const FloatFormat& x, const FloatFormat* weight) {
  StepFormats formats{};
  formats.input = &converted(recipe.convert_inputs, x);
  formats.weight = weight == nullptr ? formats.input : &converted(recipe.convert_inputs, *weight);
  formats.compute = &compute_format(recipe, *formats.input);
  formats.square = &named(recipe.statistic.square, formats);
  formats.accumulate = &accumulate_format(recipe.statistic.accumulate, formats);
  formats.mean = &promoted(*formats.accumulate, *formats.compute);
  formats.epsilon = &named(recipe.epsilon.dtype, formats);
  formats.root = recipe.root.rounding == RootRounding::kOnce ? &promoted(*formats.compute, kFp32)
                                                             : formats.compute;
  formats.cast = &cast_format(recipe.cast, formats);
  formats.offset = recipe.weight.offset_dtype == OffsetFormat::kBinary32
                       ? &promoted(*formats.compute, kFp32)
                       : formats.weight;
  formats.output = &output_format(recipe.output, x, weight == nullptr ? x : *weight);
  return formats;
}

}  // namespace normcert
