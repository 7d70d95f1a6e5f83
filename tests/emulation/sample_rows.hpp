// Rows for holding one evaluator against another: ordinary ones, and such as arithmetic goes wrong
// on.
#pragma once

#include <string>

#include "emulation/number_samples.hpp"
#include "numeric/rounding.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// Rows of six kinds in turn: normal deviates; codes at random, NaN and infinities among them; so
// great that squares or their sum overflow; so small that they vanish; special values; zeros.
inline Tensor sample_rows(const FloatFormat& format, std::size_t rows, std::size_t width,
                          const std::string& stream) {
  const RandomStream random(20260908, stream);
  const std::vector<Code> special = special_codes(format);
  Tensor tensor(format, rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      const std::uint64_t index = row * width + i;
      Code code = zero_of(format, index % 3 == 0);
      switch (row % 6) {
        case 0:
          code = convert(code_of(random.normal(index)), format);
          break;
        case 1:
          code = any_code(format, random, index);
          break;
        case 2:
          code = near_code(format, (row % 12 == 2 ? format.emax - 13 : format.emax / 2 - 2), random,
                           index);
          break;
        case 3:
          code = near_code(format, (row % 12 == 3 ? format.emin + 13 : format.emin / 2), random,
                           index);
          break;
        case 4:
          code = special[random.bits(index) % special.size()];
          // Few enough that not every statistic is NaN.
          if (row % 12 == 10 && !is_finite(code)) code = max_finite_of(format, code.negative());
          break;
        default:
          break;
      }
      tensor.set(row, i, code);
    }
  }
  return tensor;
}

}  // namespace normcert
