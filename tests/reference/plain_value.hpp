// What the oracles know about formats, written apart from `numeric`: the value of a code as a
// binary64 number, from its fields.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "numeric/code.hpp"

namespace normcert {

// The magnitude of a finite code; binary64 holds every number of every format.
inline double plain_magnitude(Code code) {
  const FloatFormat& format = *code.format;
  const int fraction_bits = format.precision - 1;
  const std::uint64_t magnitude = code.bits & ((std::uint64_t{1} << (format.code_bits - 1)) - 1);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << fraction_bits) - 1);
  const int field = static_cast<int>(magnitude >> fraction_bits);
  const int quantum = format.emin - fraction_bits;
  if (field == 0) return std::ldexp(static_cast<double>(fraction), quantum);
  const auto significand = static_cast<double>(fraction + (std::uint64_t{1} << fraction_bits));
  return std::ldexp(significand, quantum + field - 1);
}

inline bool plain_negative(Code code) { return (code.bits >> (code.format->code_bits - 1)) != 0; }

inline double plain_value(Code code) {
  return plain_negative(code) ? -plain_magnitude(code) : plain_magnitude(code);
}

// The greatest finite number of a format, as its standard prints it.
inline double plain_greatest(const FloatFormat& format) {
  if (format.name == "fp64") return std::numeric_limits<double>::max();
  if (format.name == "fp32") return std::numeric_limits<float>::max();
  if (format.name == "tf32") return 0x1.ffcp+127;
  if (format.name == "bf16") return 0x1.fep+127;
  if (format.name == "fp16") return 65504;
  if (format.name == "fp8_e4m3fn") return 448;
  return 57344;  // fp8_e5m2
}

// A magnitude rounded to the precision and the least exponent of a format in three ways; the
// exponent is not limited above, except that a number beyond binary64 may be infinity.
struct PlainRounding {
  double nearest = 0;
  double toward_zero = 0;
  double away = 0;
  bool exact = false;  // the number itself
  bool tie = false;    // half way between two numbers
};

// Whether `got` is `rounded`, a result of PlainRounding, in the mode that gave it. `truncated`:
// that mode is toward zero, whose results never exceed the greatest finite number.
inline bool plain_matches(Code got, bool negative, double rounded, bool truncated) {
  const FloatFormat& format = *got.format;
  if (plain_negative(got) != negative) return false;
  const double greatest = plain_greatest(format);
  if (rounded <= greatest) return plain_magnitude(got) == rounded;
  if (truncated) return plain_magnitude(got) == greatest;
  // Infinity, or the NaN of a format without one: the code after the greatest finite number.
  return got.magnitude() == format.max_finite_magnitude() + 1;
}

}  // namespace normcert
