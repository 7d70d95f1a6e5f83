#include "emulation/hardware_rounding.hpp"

namespace normcert {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << 52;

}  // namespace

HardwareCoder::HardwareCoder(const FloatFormat& format)
    : format_(format),
      shift_(52 - format.fraction_bits()),
      scale_(std::ldexp(1.0, 1023 - format.bias())) {}

double HardwareCoder::decode(std::uint64_t code) const {
  const std::uint64_t magnitude = code & format_.magnitude_mask();
  const bool negative = (code & format_.sign_mask()) != 0;
  if (magnitude > format_.max_finite_magnitude()) {
    const bool infinite = format_.has_infinity() && magnitude == format_.infinity_magnitude();
    const double special = infinite ? std::numeric_limits<double>::infinity()
                                    : std::numeric_limits<double>::quiet_NaN();
    return negative ? -special : special;
  }
  // The fields at binary64's places make the number but for its exponent's bias; a subnormal one
  // too, for its exponent field stands for 2^(1 - bias) in both formats.
  const double value = std::bit_cast<double>(magnitude << shift_) * scale_;
  return negative ? -value : value;
}

std::uint64_t HardwareCoder::encode(double value, bool truncate) const {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits & kSign) != 0 ? format_.sign_mask() : 0;
  const std::uint64_t magnitude = bits & ~kSign;
  if (magnitude > kInfinity) return sign | format_.nan_magnitude();
  const std::uint64_t infinity =
      format_.has_infinity() ? format_.infinity_magnitude() : format_.nan_magnitude();
  if (magnitude == kInfinity) return sign | infinity;
  // A number that binary64 holds as subnormal is far below half the least one of the format.
  const auto field = static_cast<int>(magnitude >> 52);
  if (field == 0) return sign;
  const int exponent = field - 1023;
  const int below = exponent < format_.emin ? format_.emin - exponent : 0;
  const int dropped = shift_ + below;
  if (dropped > 54) return sign;
  const std::uint64_t significand = (magnitude & (kHiddenBit - 1)) | kHiddenBit;
  const std::uint64_t kept = dropped > 53 ? 0 : significand >> dropped;
  std::uint64_t up = 0;
  if (!truncate && dropped > 0) {
    const std::uint64_t rest = significand - (dropped > 53 ? 0 : kept << dropped);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    up = rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  }
  // kept holds the hidden bit of a normal number, which stands for one binade.
  const int binade = below > 0 ? 0 : exponent - format_.emin;
  const std::uint64_t code =
      kept + up + (static_cast<std::uint64_t>(binade) << format_.fraction_bits());
  if (code > format_.max_finite_magnitude()) {
    return sign | (truncate ? format_.max_finite_magnitude() : infinity);
  }
  return sign | code;
}

}  // namespace normcert
