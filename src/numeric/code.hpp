// One number in a narrow format, as its bits together with its format.
#pragma once

#include <cstdint>

#include "numeric/dyadic.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

enum class FloatClass : std::uint8_t { kZero, kSubnormal, kNormal, kInfinity, kNan };

struct Code {
  std::uint64_t bits = 0;
  const FloatFormat* format = &kFp64;

  [[nodiscard]] bool negative() const { return (bits & format->sign_mask()) != 0; }
  [[nodiscard]] std::uint64_t magnitude() const { return bits & format->magnitude_mask(); }
  // Same format and same bits: distinguishes +0 from -0 and one NaN from another.
  friend bool operator==(const Code& a, const Code& b) {
    return a.bits == b.bits && *a.format == *b.format;
  }
};

[[nodiscard]] FloatClass classify(Code code);
[[nodiscard]] bool is_finite(Code code);
[[nodiscard]] bool is_nan(Code code);
[[nodiscard]] bool is_infinite(Code code);

// Exact. Requires is_finite(code).
[[nodiscard]] Dyadic decode(Code code);

// Exact for every format here; NaN and infinities keep their kind and sign.
[[nodiscard]] double to_binary64(Code code);
[[nodiscard]] Code code_of(double value);  // binary64
[[nodiscard]] Code code_of(float value);   // binary32

[[nodiscard]] Code zero_of(const FloatFormat& format, bool negative);
// Infinity; in a format without one, NaN.
[[nodiscard]] Code infinity_of(const FloatFormat& format, bool negative);
[[nodiscard]] Code nan_of(const FloatFormat& format);
[[nodiscard]] Code max_finite_of(const FloatFormat& format, bool negative);

// Position in the format's order of values: zeros (both) 0, the least positive number 1, its
// negative -1, and so on; infinities come next to the greatest finite numbers. Requires !is_nan.
[[nodiscard]] std::int64_t rank(Code code);
// Inverse of rank; rank 0 gives +0. Requires |rank| at most that of the greatest (finite or
// infinite) magnitude.
[[nodiscard]] Code code_of_rank(std::int64_t rank, const FloatFormat& format);
// |rank(a) - rank(b)|. Requires the same format and no NaN.
[[nodiscard]] std::uint64_t code_distance(Code a, Code b);

// IEEE 754 nextUp and nextDown: the least number that compares greater (less). -0 and +0 count as
// one value; the greatest number (infinity, or the greatest finite one in a format without
// infinities) and NaN are returned unchanged.
[[nodiscard]] Code next_up(Code code);
[[nodiscard]] Code next_down(Code code);

// Same bits, or both NaN. +0 and -0 differ.
[[nodiscard]] bool same_bits(Code a, Code b);

}  // namespace normcert
