// Norms whose x is not what it seems, and what elimination says of them.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "inference/elimination.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/case.hpp"

namespace normcert {

inline constexpr std::size_t kRows = 10;
inline constexpr double kEpsilon = 1e-5;
inline constexpr std::array kFormats = {&kBf16, &kFp16, &kFp32};

inline Case case_of(Tensor x, Tensor weight) {
  Case value;
  value.x = std::move(x).share();
  value.weight = std::move(weight).share();
  value.weight_offset_given = true;
  value.epsilon = {"1e-5", kEpsilon};
  return value;
}

// Every other row has a mean square from a tenth of epsilon to ten times it.
inline Case rows_of(const FloatFormat& format, std::size_t width, std::uint64_t seed) {
  const RandomStream random(seed, "input views");
  Tensor x(format, kRows, width);
  Tensor weight(format, 1, width);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double share = static_cast<double>(row) / (kRows - 1);
    const double rms = row % 2 == 0 ? std::sqrt(kEpsilon * std::pow(10.0, 2 * share - 1)) : 0.5;
    for (std::size_t i = 0; i < width; ++i) {
      x.set(row, i, convert(code_of(rms * random.normal(row * width + i)), format));
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    weight.set(0, i, convert(code_of(1 + 0.2 * random.normal(kRows * width + i)), format));
  }
  return case_of(std::move(x), std::move(weight));
}

inline double at(const TensorView& tensor, std::size_t row, std::size_t i) {
  return to_binary64(tensor.at(row, i));
}

// The sum over the row, of the numbers that `seen` makes of x, divided by `divisor`.
inline TensorView outputs(const Case& value, double divisor, auto seen) {
  Tensor y(*value.x.format, value.x.rows, value.x.width);
  for (std::size_t row = 0; row < y.rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < y.width; ++i) sum += std::pow(seen(at(value.x, row, i)), 2);
    const double r = 1 / std::sqrt(sum / divisor + value.epsilon.binary64);
    for (std::size_t i = 0; i < y.width; ++i) {
      const double gain = value.weight ? at(*value.weight, 0, i) : 1;
      y.set(row, i, convert(code_of(seen(at(value.x, row, i)) * r * gain), *y.format));
    }
  }
  return std::move(y).share();
}

inline double as_it_is(double x) { return x; }

inline Elimination eliminated(const Case& value, const TensorView& y,
                              const Recipe* recipe = nullptr) {
  const ObservedNorm norm{.site = "norm", .value = &value, .y = y};
  EliminationOptions options;
  if (recipe != nullptr) options.recipes = {recipe};
  return eliminate({&norm, 1}, options).joint;
}

}  // namespace normcert
