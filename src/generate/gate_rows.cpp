#include "generate/gate_rows.hpp"

#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

TensorView gate_rows(std::uint64_t seed, const std::string& name, std::size_t rows,
                     std::size_t width, const FloatFormat& format) {
  const RandomStream stream(seed, "gate " + name);
  Tensor gate(format, rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      const double value = 2.5 * stream.normal(row * width + i);
      gate.set(row, i, i == 1 ? zero_of(format, false) : convert(code_of(value), format));
    }
  }
  return std::move(gate).share();
}

}  // namespace normcert
