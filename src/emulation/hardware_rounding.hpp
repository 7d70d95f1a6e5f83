// Rounding and coding of numbers that are held as binary64, with the processor's own arithmetic.
//
// Why binary64 may stand in: for operands of p digits with 2p + 2 <= 53, + - * / and square root
// done in binary64 and rounded to p digits give the same as one rounding (Figueroa, "When is double
// rounding innocuous?", 1995), so for binary32 and everything narrower. Not for a fused
// multiply-add: that rounds to odd in between (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", 2008). Requires round-to-nearest and subnormals neither flushed nor read as zero:
// arithmetic_is_default() (numeric/double_double.hpp) says whether this thread runs so.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numeric/float_format.hpp"

namespace normcert {

struct Binary32Rounder {
  double operator()(double value) const { return static_cast<float>(value); }
};

struct Binary64Rounder {
  double operator()(double value) const { return value; }
};

// *Correctly rounded* (nearest even) to a format narrower than binary32's 24 digits or its
// exponents.
class NarrowRounder {
 public:
  explicit NarrowRounder(const FloatFormat& format)
      : least_field_(static_cast<std::uint64_t>(format.emin + 1023) << 52),
        greatest_field_(static_cast<std::uint64_t>(format.emax + 2 + 1023) << 52),
        // 1.5 times 2^52 quanta of a number in [1, 2): added and subtracted again, it leaves no
        // digit below the quantum.
        magic_offset_((static_cast<std::uint64_t>(53 - format.precision) << 52) | std::uint64_t{1}
                                                                                      << 51),
        greatest_(std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.emax)),
        overflow_(format.has_infinity() ? std::numeric_limits<double>::infinity()
                                        : std::numeric_limits<double>::quiet_NaN()) {
    // The greatest code of a format without infinities is NaN.
    if (!format.has_infinity()) {
      greatest_ = std::ldexp(2.0 - std::ldexp(1.0, 2 - format.precision), format.emax);
    }
  }

  double operator()(double value) const {
    std::uint64_t field = std::bit_cast<std::uint64_t>(value) & kExponentMask;
    field = field < least_field_ ? least_field_ : field;
    field = field > greatest_field_ ? greatest_field_ : field;
    const auto magic = std::bit_cast<double>(field + magic_offset_);
    const double rounded = (value + magic) - magic;
    const double magnitude = std::fabs(rounded) > greatest_ ? overflow_ : std::fabs(rounded);
    return std::copysign(magnitude, value);
  }

 private:
  static constexpr std::uint64_t kExponentMask = std::uint64_t{0x7ff} << 52;

  std::uint64_t least_field_;
  std::uint64_t greatest_field_;
  std::uint64_t magic_offset_;
  double greatest_;
  double overflow_;
};

// Calls `body` with the function that rounds to `format`. No other format has so many digits.
template <typename Body>
void with_rounder(const FloatFormat& format, Body body) {
  if (format.precision == kFp64.precision) return body(Binary64Rounder{});
  if (format.precision == kFp32.precision) return body(Binary32Rounder{});
  body(NarrowRounder(format));
}

// a b + c rounded to odd in binary64: rounding that once more to at most 51 digits gives the
// correctly rounded result. Requires a product that is exact in binary64 and does not overflow,
// as that of two binary32 numbers.
[[nodiscard]] inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  // Knuth's TwoSum: sum + error is exact.
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (c - c_part);
  // No branches: which way it goes is as good as random. A sum that is not finite has no error (it
  // is NaN).
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const std::uint64_t changes = ~bits & static_cast<std::uint64_t>(std::fabs(error) > 0);
  const auto shrinks = static_cast<std::uint64_t>((error > 0) != (sum > 0));
  return std::bit_cast<double>(bits + changes - 2 * (changes & shrinks));
}

// Reading and writing codes of one format.
class HardwareCoder {
 public:
  explicit HardwareCoder(const FloatFormat& format);

  // Exact.
  [[nodiscard]] double decode(std::uint64_t code) const;
  // *Correctly rounded*, to nearest even or toward zero. NaN keeps its sign.
  [[nodiscard]] std::uint64_t encode(double value, bool truncate) const;

 private:
  const FloatFormat& format_;
  int shift_;     // binary64 fraction bits below the format's
  double scale_;  // from a code's exponent field read as binary64's
};

}  // namespace normcert
