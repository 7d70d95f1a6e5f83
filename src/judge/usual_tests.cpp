#include "judge/usual_tests.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "numeric/activation.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostElements = std::size_t{1} << 22;

// https://docs.pytorch.org/docs/stable/testing.html, defaults by dtype.
std::pair<double, double> tolerance_of(const FloatFormat& format) {
  if (format == kFp16) return {1e-3, 1e-5};
  if (format == kBf16) return {1.6e-2, 1e-5};
  if (format == kFp32) return {1.3e-6, 1e-5};
  return {1e-7, 1e-7};
}

void widen_row(const TensorView& tensor, std::size_t row, std::vector<double>& into) {
  into.resize(tensor.width);
  RowReader(tensor).widened(row, into);
}

void widen_activations(const Gate& gate, std::size_t row, std::vector<double>& activation) {
  widen_row(gate.values, row, activation);
  for (double& g : activation) {
    const ScaledDoubleDouble a = scaled_activation(gate.activation, g);
    g = std::isnan(a.high) && g < 0 ? 0 : times_power_of_two(a.high, a.exponent);
  }
}

}  // namespace

double UsualTests::one_minus_cosine() const {
  // |a - y|^2 = |a|^2 + |y|^2 - 2 a y, without the cancellation of 1 - cosine.
  const double got = std::sqrt(square_of_got);
  const double exact = std::sqrt(square_of_exact);
  if (got == 0 || exact == 0) return std::nan("");
  return (square_of_error - (got - exact) * (got - exact)) / (2 * got * exact);
}

double UsualTests::nmse() const { return square_of_error / square_of_exact; }

void UsualTests::add(const UsualTests& other) {
  elements += other.elements;
  beyond += other.beyond;
  square_of_error += other.square_of_error;
  square_of_exact += other.square_of_exact;
  square_of_got += other.square_of_got;
}

UsualTests usual_tests(const Case& value, double weight_offset, const TensorView& y,
                       std::string epsilon_text, double epsilon) {
  UsualTests tests;
  tests.epsilon_text = std::move(epsilon_text);
  tests.epsilon = epsilon;
  std::tie(tests.rtol, tests.atol) = tolerance_of(*y.format);
  const std::size_t width = value.x.width;
  std::vector<double> gain(width, 1.0);
  if (value.weight) {
    widen_row(*value.weight, 0, gain);
    for (double& element : gain) element += weight_offset;
  }
  const std::size_t rows = std::max<std::size_t>(kMostElements / width, 1);
  const std::size_t step = (value.x.rows + rows - 1) / rows;
  std::vector<double> x;
  std::vector<double> added;
  std::vector<double> activation(width, 1.0);
  std::vector<double> outputs;
  for (std::size_t row = 0; row < value.x.rows; row += step) {
    widen_row(value.x, row, x);
    if (value.residual) {
      widen_row(*value.residual, row, added);
      for (std::size_t i = 0; i < width; ++i) x[i] += added[i];
    }
    if (value.gate) widen_activations(*value.gate, row, activation);
    if (value.gate && value.gate->mode == GateMode::kBefore) {
      for (std::size_t i = 0; i < width; ++i) x[i] *= activation[i];
      std::ranges::fill(activation, 1.0);
    }
    double sum = 0;
    for (const double element : x) sum += element * element;
    const double scalar = 1 / std::sqrt(sum / static_cast<double>(width) + epsilon);
    if (!std::isfinite(sum) || !std::isfinite(scalar)) continue;
    widen_row(y, row, outputs);
    for (std::size_t i = 0; i < width; ++i) {
      const double exact = gain[i] * x[i] * scalar * activation[i];
      const double error = outputs[i] - exact;
      ++tests.elements;
      if (!(std::fabs(error) <= tests.atol + tests.rtol * std::fabs(exact))) ++tests.beyond;
      if (!std::isfinite(outputs[i])) continue;
      tests.square_of_error += error * error;
      tests.square_of_exact += exact * exact;
      tests.square_of_got += outputs[i] * outputs[i];
    }
  }
  return tests;
}

}  // namespace normcert
