#include "numeric/dyadic.hpp"

#include <bit>

#include "numeric/code.hpp"

namespace normcert {

int bit_length(Uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(low));
}

LeadingBits leading_bits(const Dyadic& value) {
  if (value.magnitude == 0) return {};
  const int excess = bit_length(value.magnitude) - 64;
  if (excess <= 0) {
    return {static_cast<std::uint64_t>(value.magnitude) << -excess,
            std::int64_t{value.exponent} + excess, false};
  }
  const auto top = static_cast<std::uint64_t>(value.magnitude >> excess);
  const bool sticky = (Uint128{top} << excess) != value.magnitude;
  return {top, std::int64_t{value.exponent} + excess, sticky};
}

Dyadic multiply(const Dyadic& a, const Dyadic& b) {
  return {a.negative != b.negative, a.magnitude * b.magnitude, a.exponent + b.exponent};
}

Dyadic dyadic_of(double value) { return decode(code_of(value)); }

int compare_magnitude(const Dyadic& a, const Dyadic& b) {
  if (a.magnitude == 0 || b.magnitude == 0) {
    return (a.magnitude != 0 ? 1 : 0) - (b.magnitude != 0 ? 1 : 0);
  }
  // Both normalised to 128 bits, so that the exponents decide first.
  const int shift_a = 128 - bit_length(a.magnitude);
  const int shift_b = 128 - bit_length(b.magnitude);
  const std::int64_t exponent_a = std::int64_t{a.exponent} - shift_a;
  const std::int64_t exponent_b = std::int64_t{b.exponent} - shift_b;
  if (exponent_a != exponent_b) return exponent_a < exponent_b ? -1 : 1;
  const Uint128 magnitude_a = a.magnitude << shift_a;
  const Uint128 magnitude_b = b.magnitude << shift_b;
  if (magnitude_a == magnitude_b) return 0;
  return magnitude_a < magnitude_b ? -1 : 1;
}

}  // namespace normcert
