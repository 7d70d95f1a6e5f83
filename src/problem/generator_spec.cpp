#include "problem/generator_spec.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/code.hpp"
#include "numeric/decimal.hpp"

namespace normcert {
namespace {

using Text = std::string_view;

// RMS^2 = ratio x epsilon. 0x1p-20: RMS 2^-10 sqrt(epsilon).
constexpr Text kTinyRatios[] = {"0x1p-20", "0x1p-20"};
constexpr Text kSmallRatios[] = {"0.1", "0.1"};
constexpr Text kLadder[] = {"1e-4", "0.01", "0.1", "1", "10", "100", "1e4"};
constexpr ParameterDescription kTiny[] = {
    {"q_over_epsilon", ParameterKind::kPositive, true, kTinyRatios}};
constexpr ParameterDescription kSmall[] = {
    {"q_over_epsilon", ParameterKind::kPositive, true, kSmallRatios}};
constexpr ParameterDescription kConstantLadder[] = {
    {"q_over_epsilon", ParameterKind::kPositive, true, kLadder}};

// Inverse RMS values far from the powers of two, near which a 16-bit cast hides what r is.
constexpr Text kSignificands[] = {"1.09", "1.28", "1.62", "1.83"};
constexpr ParameterDescription kOrdinary[] = {
    {"significand_of_r", ParameterKind::kPositive, true, kSignificands}};

constexpr Text kConstants[] = {"1", "-0.75"};
constexpr ParameterDescription kConstant[] = {{"values", ParameterKind::kReal, true, kConstants}};
constexpr Text kAlternations[] = {"2.5e-3"};
constexpr ParameterDescription kAlternating[] = {
    {"values", ParameterKind::kReal, true, kAlternations}};

constexpr Text kLowestExponent[] = {"-6"};
constexpr Text kHighestExponent[] = {"1"};
constexpr ParameterDescription kMixedScale[] = {
    {"lowest_exponent", ParameterKind::kExponent, false, kLowestExponent},
    {"highest_exponent", ParameterKind::kExponent, false, kHighestExponent}};

constexpr Text kPowersOfTwo[] = {"0", "-4", "5"};
constexpr ParameterDescription kExactRms[] = {
    {"exponent_of_two", ParameterKind::kExponent, true, kPowersOfTwo}};

constexpr Text kDecades[] = {"-12", "-11", "-10", "-9", "-8", "-7", "-6", "-5", "-4",
                             "-3",  "-2",  "-1",  "0",  "1",  "2",  "3",  "4",  "5",
                             "6",   "7",   "8",   "9",  "10", "11", "12"};
constexpr ParameterDescription kAmplitude[] = {
    {"exponent", ParameterKind::kExponent, true, kDecades}};

constexpr Text kUnitRms[] = {"1"};
constexpr ParameterDescription kNormal[] = {{"rms", ParameterKind::kPositive, true, kUnitRms}};

constexpr GeneratorDescription kGenerators[] = {
    {"zero", "all +0, all -0", {}},
    {"tiny", "normal rows, RMS far below sqrt(epsilon)", kTiny},
    {"small", "normal rows, RMS somewhat below sqrt(epsilon)", kSmall},
    {"ordinary", "normal rows whose inverse RMS is a power of two times the given significands",
     kOrdinary},
    {"large", "normal rows, RMS min(256, greatest finite number / 64)", {}},
    {"constant", "constant rows: sqrt(epsilon) unless values are given, and the values", kConstant},
    {"alternating", "+v -v +v ...", kAlternating},
    {"one_hot", "a 1 at n/3; a 33 at n-1", {}},
    {"mixed_scale", "normal numbers times powers of ten that rise along the row", kMixedScale},
    {"outlier_channel", "0.5 N(0,1) with one 900; 0.05 N(0,1) with -60 and 33", {}},
    {"q_over_epsilon", "constant rows, mean square a multiple of epsilon", kConstantLadder},
    {"near_overflow", "the greatest power of two whose sum of squares stays below 2^127", {}},
    {"subnormal", "subnormal codes, spread evenly and at random", {}},
    {"exact_rms", "rows of different magnitudes whose RMS is a power of two", kExactRms},
    {"midpoint", "rows whose exact results lie next to rounding midpoints", {}},
    {"beyond_range", "rows whose sum of squares overflows binary32", {}},
    {"amplitude", "normal rows, RMS the powers of ten", kAmplitude},
    {"normal", "normal rows of the given RMS", kNormal},
};

}  // namespace

std::span<const GeneratorDescription> generators() { return kGenerators; }

const GeneratorDescription* find_generator(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kGenerators), std::end(kGenerators),
                   [&](const GeneratorDescription& each) { return each.name == name; });
  return found == std::end(kGenerators) ? nullptr : found;
}

bool fits(std::string_view text, ParameterKind kind) {
  const auto code = read_code(text, kFp64);
  if (!code || !is_finite(*code)) return false;
  const double value = to_binary64(*code);
  constexpr double kGreatestExponent = 400;
  switch (kind) {
    case ParameterKind::kReal:
      return true;
    case ParameterKind::kPositive:
      return value > 0;
    case ParameterKind::kExponent:
      return std::trunc(value) == value && std::abs(value) <= kGreatestExponent;
  }
  return false;
}

std::string_view expectation_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kReal:
      return "a finite number";
    case ParameterKind::kPositive:
      return "a finite number above 0";
    case ParameterKind::kExponent:
      return "a whole number from -400 to 400";
  }
  return "";
}

std::vector<std::string> parameter_of(const GeneratorSpec& spec, std::string_view name) {
  if (const auto given = spec.parameters.find(name); given != spec.parameters.end()) {
    return given->second;
  }
  std::vector<std::string> defaults;
  for (const ParameterDescription& parameter : find_generator(spec.name)->parameters) {
    if (parameter.name == name)
      defaults.assign(parameter.defaults.begin(), parameter.defaults.end());
  }
  return defaults;
}

}  // namespace normcert
