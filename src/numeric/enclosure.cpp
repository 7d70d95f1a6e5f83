#include "numeric/enclosure.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace normcert {
namespace {

constexpr int kGuardBits = 64;

// |value| = significand 2^exponent, exactly.
struct Parts {
  std::uint64_t significand;
  int exponent;
};

Parts parts_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  if (field == 0) return {fraction, -1074};
  return {fraction | std::uint64_t{1} << 52, field - 1075};
}

// Upward: the half width of the interval, 1 and a half too large at most.
Uint128 half_width(Uint128 magnitude, double bound) {
  if (bound == 0) return 0;
  // 1/(1 - b) <= 1 + b (1 + 2^-19) for b <= 2^-20; the conversion and two products round.
  const double width = static_cast<double>(magnitude) * bound * (1 + 0x1p-18) + 1;
  constexpr double kFits = 0x1p62;
  if (width < kFits) return Uint128{static_cast<std::uint64_t>(width)} + 1;
  return static_cast<Uint128>(width) + 1;
}

LeadingBits leading(Uint128 magnitude, int exponent, bool more) {
  LeadingBits bits = leading_bits(Dyadic{false, magnitude, exponent});
  bits.sticky = bits.sticky || more;
  return bits;
}

}  // namespace

LeadingBits MagnitudeInterval::leading_low() const { return leading(low, exponent, between); }

LeadingBits MagnitudeInterval::leading_high() const {
  // Just below `high` is low and something, because the two differ by one.
  return between ? leading_low() : leading(high, exponent, false);
}

MagnitudeInterval magnitude_interval(const Enclosure& y) {
  const Parts high = parts_of(y.value.high);
  const Parts low = parts_of(y.value.low);
  const int exponent = high.exponent - kGuardBits;
  Uint128 magnitude = Uint128{high.significand} << kGuardBits;
  bool inexact = false;
  if (low.significand != 0) {
    const bool adds = std::signbit(y.value.low) == std::signbit(y.value.high);
    const int shift = low.exponent - exponent;
    Uint128 part = 0;
    if (shift >= 0) {
      part = Uint128{low.significand} << shift;
    } else {
      part = shift > -64 ? low.significand >> -shift : 0;
      inexact = shift <= -64 || (low.significand & ((std::uint64_t{1} << -shift) - 1)) != 0;
    }
    magnitude = adds ? magnitude + part : magnitude - part - (inexact ? 1 : 0);
  }
  const int scaled = exponent + y.value.exponent;
  if (y.bound == 0) {
    return {magnitude, inexact ? magnitude + 1 : magnitude, scaled, inexact};
  }
  const Uint128 width = half_width(magnitude, y.bound) + 1;
  return {magnitude - width, magnitude + width, scaled, false};
}

}  // namespace normcert
