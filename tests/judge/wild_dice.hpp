// Random choices in a row, from a counter-based generator.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "numeric/code.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

class WildDice {
 public:
  WildDice(std::uint64_t seed, std::string_view stream) : random_(seed, stream) {}

  std::uint64_t bits() { return random_.bits(index_++); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  double uniform() { return random_.uniform(index_++); }
  double normal() { return random_.normal(index_++); }
  template <typename T>
  T of(std::initializer_list<T> list) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
  }
  double power_of_two(int least, int greatest) {
    return std::ldexp(
        1.0, least + static_cast<int>(below(static_cast<std::size_t>(greatest - least + 1))));
  }

  // Any code of the format, NaN and infinities among them.
  Code any(const FloatFormat& format) {
    return {bits() & (format.sign_mask() | format.magnitude_mask()), &format};
  }
  Code any_finite(const FloatFormat& format) {
    for (;;) {
      const Code code = any(format);
      if (is_finite(code)) return code;
    }
  }
  // One of the few greatest or least magnitudes, zeros of both signs among them.
  Code extreme(const FloatFormat& format) {
    const std::uint64_t least_normal = std::uint64_t{1} << format.fraction_bits();
    const std::uint64_t from = below(5);
    const std::uint64_t magnitude =
        of<std::uint64_t>({format.max_finite_magnitude() - from, from, least_normal + from,
                           least_normal - 1 - (from & 1)});
    return {magnitude | (one_in(2) ? format.sign_mask() : 0), &format};
  }
  // The nearest finite code.
  static Code finite(double value, const FloatFormat& format) {
    const Code code = convert(code_of(value), format);
    return is_finite(code) ? code : max_finite_of(format, std::signbit(value));
  }

 private:
  RandomStream random_;
  std::uint64_t index_ = 0;
};

}  // namespace normcert
