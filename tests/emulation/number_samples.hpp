// Numbers that arithmetic goes wrong on, and pseudo-random codes, for the tests of this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "numeric/code.hpp"
#include "numeric/float_format.hpp"
#include "numeric/random.hpp"

namespace normcert {

// Both signs of: zero, the ends of the subnormal and normal ranges and their neighbours, 1 and its
// neighbours, 3, values near the square roots of the range's ends, infinity, NaN.
inline std::vector<Code> special_codes(const FloatFormat& format) {
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias()) << format.fraction_bits();
  const std::uint64_t least_normal = std::uint64_t{1} << format.fraction_bits();
  const std::uint64_t greatest = format.max_finite_magnitude();
  std::vector<std::uint64_t> magnitudes = {0,
                                           1,
                                           2,
                                           3,
                                           least_normal - 1,
                                           least_normal,
                                           least_normal + 1,
                                           one - 1,
                                           one,
                                           one + 1,
                                           one + least_normal + least_normal / 2,
                                           one / 2,
                                           one / 2 + 1,
                                           one + (greatest - one) / 2,
                                           one + (greatest - one) / 2 + 1,
                                           greatest - 1,
                                           greatest,
                                           format.nan_magnitude()};
  if (format.has_infinity()) magnitudes.push_back(format.infinity_magnitude());
  std::vector<Code> codes;
  for (const std::uint64_t magnitude : magnitudes) {
    codes.push_back({magnitude, &format});
    codes.push_back({magnitude | format.sign_mask(), &format});
  }
  return codes;
}

// Uniform over the format's codes: every exponent, NaN and infinities too.
inline Code any_code(const FloatFormat& format, const RandomStream& random, std::uint64_t index) {
  return {random.bits(index) & (format.sign_mask() | format.magnitude_mask()), &format};
}

// `value` scaled by a power of two so small in difference that operations on two of them interact:
// exponents of -12 .. 12 around `center`.
inline Code near_code(const FloatFormat& format, int center, const RandomStream& random,
                      std::uint64_t index) {
  const std::uint64_t bits = random.bits(index);
  const auto field = static_cast<std::uint64_t>(format.bias() + center) + bits % 25 - 12;
  const std::uint64_t fraction = (bits >> 8) & format.fraction_mask();
  const std::uint64_t magnitude = field << format.fraction_bits() | fraction;
  return {(bits >> 63) != 0 ? magnitude | format.sign_mask() : magnitude, &format};
}

}  // namespace normcert
