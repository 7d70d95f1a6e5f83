// Cases of one gated row built from numbers, and random ones.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "numeric/random.hpp"
#include "reference/built_case.hpp"

namespace normcert {

// Numbers are rounded to their format as built_case() does; `gate` must fit.
inline Case gated_case(const RowNumbers& numbers, const std::vector<double>& gate, GateMode mode,
                       Activation activation, const FloatFormat& gate_format = kFp64) {
  Case value = built_case(numbers);
  Tensor values(gate_format, 1, gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i) {
    values.set(0, i, convert(code_of(gate[i]), gate_format));
  }
  value.gate = Gate{std::move(values).share(), mode, activation};
  return value;
}

// Gates of all sizes up to 2^11, some of them equal; rows of any format, with and without residual
// and weight.
class GatedSource {
 public:
  explicit GatedSource(std::uint64_t seed) : random_(seed, "gated rows") {}

  Case next() {
    RowNumbers numbers;
    numbers.format = format();
    numbers.residual_format = format();
    const FloatFormat& gate_format = *format();
    const std::size_t width = 1 + below(12);
    numbers.epsilon = std::ldexp(1.0, -static_cast<int>(below(60)));
    const bool with_residual = below(3) == 0;
    const bool with_weight = below(2) == 0;
    std::vector<double> gate;
    const int size = static_cast<int>(below(20)) - 9;
    for (std::size_t i = 0; i < width; ++i) {
      numbers.x.push_back(below(8) == 0 ? 0
                                        : normal() * std::ldexp(1.0, -static_cast<int>(below(12))));
      if (with_residual) numbers.residual.push_back(normal());
      if (with_weight) numbers.weight.push_back(1 + normal() / 4);
      const bool again = i > 0 && below(3) == 0;
      gate.push_back(again ? gate.back() : below(9) == 0 ? 0 : normal() * std::ldexp(1.0, size));
    }
    return gated_case(numbers, gate, below(2) == 0 ? GateMode::kBefore : GateMode::kAfter,
                      below(2) == 0 ? Activation::kSilu : Activation::kSigmoid, gate_format);
  }

 private:
  const FloatFormat* format() {
    static constexpr const FloatFormat* kFormats[] = {&kFp64, &kFp32, &kBf16, &kFp16};
    return kFormats[below(4)];
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.bits(index_++) % n); }
  double normal() { return random_.normal(index_++); }

  RandomStream random_;
  std::uint64_t index_ = 0;
};

}  // namespace normcert
