#include "reference/built_case.hpp"

#include <cstddef>
#include <utility>

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

Code fitted_code(double value, const FloatFormat& format) {
  return round(dyadic_of(value), format, {.overflow = OverflowRule::kSaturate});
}

TensorView one_row(const std::vector<double>& values, const FloatFormat& format) {
  Tensor tensor(format, 1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set(0, i, fitted_code(values[i], format));
  return std::move(tensor).share();
}

}  // namespace

Case built_case(const RowNumbers& numbers) {
  Case result;
  result.id = "built";
  result.class_name = "ordinary";
  result.x = one_row(numbers.x, *numbers.format);
  if (!numbers.residual.empty()) {
    result.residual = one_row(numbers.residual, *numbers.residual_format);
  }
  if (!numbers.weight.empty()) result.weight = one_row(numbers.weight, *numbers.weight_format);
  result.weight_offset.binary64 = numbers.offset;
  result.epsilon.binary64 = numbers.epsilon;
  result.output = numbers.format;
  return result;
}

double fitted(double value, const FloatFormat& format) {
  return to_binary64(fitted_code(value, format));
}

}  // namespace normcert
