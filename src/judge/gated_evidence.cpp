#include "judge/gated_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/outlying_rows.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
// e^-g is finite in binary32 above this, and its activation a normal number.
constexpr double kLeastGate = -80;

// *Upper bound* of |got - exact| / |exact|. Where the classes round to the formats of the tensors:
// x
// + residual, the weighted row, the gain, the weight, what a cast before the weight or before the
// gate gives, the activation, the product and the output. In binary32: the row's scalar under any
// order of the sum (judge/conformity.hpp), the exponential (128 ulp, 256 u), the quotient or its
// two products (8 ulp, 16 u), once in the row and, before the norm, once more in the sum of
// squares. 1.01 covers second order.
double largest_error_of(const Case& value, const FloatFormat& y) {
  const double n = static_cast<double>(value.x.width);
  if ((n + 2) * kUnit >= 0.25) return std::numeric_limits<double>::infinity();
  int precision = std::min(value.x.format->precision, y.precision);
  if (value.weight) precision = std::min(precision, value.weight->format->precision);
  if (value.residual) precision = std::min(precision, value.residual->format->precision);
  precision = std::min(precision, value.gate->values.format->precision);
  const double scalar = (n + 2) / (1 - (n + 2) * kUnit) / 2 + 8;
  const double activation = 2 * (256 + 16);
  return 1.01 * (9 * std::ldexp(1.0, -precision) + (scalar + activation + 16) * kUnit);
}

}  // namespace

FunctionEvidence gated_evidence(const JudgedCase& judged, const ResultTotals* result,
                                unsigned threads) {
  FunctionEvidence evidence;
  evidence.by_classes = true;
  evidence.text =
      "no way to compute the declared gated norm in binary32, under any order of the sum, that is "
      "known gives every row; which other function does is not asked of gated norms";
  if (result == nullptr) return evidence;
  evidence.source_is_declared = !result->rounding.source_class.empty();
  if (!judged.observed) return evidence;
  evidence.of_one_class = rows_of_class(judged, *result, threads).all_conform;
  evidence.largest_error = largest_error_of(judged.value, *judged.observed->y->format);
  evidence.weight_offset = judged.value.weight_offset.binary64;
  evidence.gate = judged.value.gate->mode;
  evidence.activation = judged.value.gate->activation;
  return evidence;
}

bool is_beyond_every_kernel(const FunctionEvidence& evidence, const SubjectResult& result) {
  const ErrorMaximum& ulp = result.comparison.ulp;
  const FloatFormat* const format = find_format(result.dtype);
  if (!ulp.any || format == nullptr || !std::isfinite(evidence.largest_error)) return false;
  const Witness& witness = ulp.witness;
  // An ulp of y is at least 2^(1 - p) |y| / 2.
  const double limit = std::ldexp(evidence.largest_error, format->precision);
  if (!witness.gate || !(ulp.value.to_binary64() > limit)) return false;
  const double g = to_binary64(*witness.gate);
  const double sigmoid = 1 / (1 + std::exp(-g));
  const double activation = evidence.activation == Activation::kSilu ? g * sigmoid : sigmoid;
  const double gain = witness.weight ? evidence.weight_offset + to_binary64(*witness.weight) : 1.0;
  const double y = std::fabs(witness.exact.to_binary64());
  // What a kernel may round to x's format: y, the row before the gate, and before the weight.
  const double before_gate = evidence.gate == GateMode::kAfter ? y / std::fabs(activation) : y;
  const double before_weight = before_gate / std::fabs(gain);
  const FloatFormat& x = *witness.x.format;
  const auto is_normal = [&](double value) {
    return value >= std::ldexp(2.0, std::max(x.emin, format->emin)) &&
           value <= std::ldexp(0.5, std::min(x.emax, format->emax));
  };
  return g > kLeastGate && is_normal(std::fabs(activation)) && is_normal(y) &&
         is_normal(before_gate) && is_normal(before_weight);
}

}  // namespace normcert
