// Float formats decoded by hand from the field widths in their specifications, without the
// constants and functions of src/numeric: what the tests of those are measured against.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "numeric/float_format.hpp"

namespace normcert {

struct HandLayout {
  const FloatFormat* format;
  int exponent_bits;
  int fraction_bits;
  int bias;
  std::uint64_t greatest_finite;  // magnitude fields
  std::uint64_t overflow;         // infinity, or the only NaN of an "fn" format

  [[nodiscard]] std::uint64_t sign() const {
    return std::uint64_t{1} << (exponent_bits + fraction_bits);
  }
};

// significand x 2^exponent, where 2^exponent is the distance to the next greater magnitude.
struct HandValue {
  std::uint64_t significand;
  int exponent;
};

const HandLayout& hand_layout(const FloatFormat& format);
HandValue hand_decode(const HandLayout& layout, std::uint64_t magnitude);
double hand_binary64(const HandLayout& layout, std::uint64_t code);  // of a finite code, exact

// Those whose every code can be visited: bf16, fp16 and both of 8 bits.
std::span<const FloatFormat* const> small_formats();

}  // namespace normcert
