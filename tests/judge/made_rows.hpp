// Larger cases than a hand can write, for the tests of what happens between blocks and parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "judge/verify_types.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

// Normal deviates, each row scaled by another power of two and some rows equal to the one before.
inline Case made_case(std::size_t rows, std::size_t width, const FloatFormat& format,
                      std::uint64_t seed = 1) {
  const RandomStream random(seed, "made rows");
  Tensor x(format, rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool repeats = row % 5 == 4;
    const int scale = static_cast<int>(random.bits(row) % 9) - 4;
    for (std::size_t i = 0; i < width; ++i) {
      const double number = std::ldexp(random.normal((row + 1) * width + i), scale);
      x.set(row, i, repeats ? x.at(row - 1, i) : convert(code_of(number), format));
    }
  }
  Case value;
  value.id = "made-" + std::to_string(rows) + "x" + std::to_string(width);
  value.class_name = "custom";
  value.x = std::move(x).share();
  value.epsilon.text = "1e-3";
  value.epsilon.binary64 = 1e-3;
  value.output = &format;
  return value;
}

// Something near the exact result: correctly rounded from binary64, every 97th element one code
// off.
inline TensorView made_outputs(const Case& value) {
  Tensor y(*value.output, value.x.rows, value.x.width);
  for (std::size_t row = 0; row < y.rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < y.width; ++i) {
      sum += to_binary64(value.x.at(row, i)) * to_binary64(value.x.at(row, i));
    }
    const double rms = std::sqrt(sum / static_cast<double>(y.width) + value.epsilon.binary64);
    for (std::size_t i = 0; i < y.width; ++i) {
      Code code = convert(code_of(to_binary64(value.x.at(row, i)) / rms), *value.output);
      if ((row * y.width + i) % 97 == 96) code.bits ^= 1U;
      y.set(row, i, code);
    }
  }
  return std::move(y).share();
}

}  // namespace normcert
