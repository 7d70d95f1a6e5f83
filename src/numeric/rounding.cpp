#include "numeric/rounding.hpp"

#include <algorithm>

namespace normcert {
namespace {

// |value| = (kept + remainder) x 2^quantum with 0 <= remainder < 1, where 2^quantum is the spacing
// of the format's numbers at |value| (that of the binade's lower part: rounding up may carry).
struct Split {
  std::uint64_t kept = 0;
  std::int64_t quantum = 0;
  int half_comparison = -1;  // remainder against 1/2: -1, 0, 1
  bool exact = true;         // remainder == 0
};

std::int64_t exponent_of(const LeadingBits& magnitude) { return magnitude.exponent + 63; }

Split split_at_quantum(const LeadingBits& magnitude, const FloatFormat& format) {
  const std::int64_t quantum = ulp_exponent(magnitude, format);
  if (magnitude.top == 0) return {0, quantum, -1, true};
  const std::int64_t dropped = quantum - magnitude.exponent;  // >= 11: a format has <= 53 digits
  if (dropped > 64) return {0, quantum, -1, false};
  const std::uint64_t kept = dropped == 64 ? 0 : magnitude.top >> dropped;
  const std::uint64_t rest = dropped == 64 ? magnitude.top : magnitude.top - (kept << dropped);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const bool exact = rest == 0 && !magnitude.sticky;
  const int comparison = rest < half ? -1 : (rest > half || magnitude.sticky ? 1 : 0);
  return {kept, quantum, comparison, exact};
}

bool rounds_up(const Split& split, RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kNearestEven:
      return split.half_comparison > 0 || (split.half_comparison == 0 && (split.kept & 1) != 0);
    case RoundingMode::kTowardZero:
      return false;
    case RoundingMode::kAwayFromZero:
      return !split.exact;
  }
  return false;
}

Code overflow(bool negative, const FloatFormat& format, RoundingRule rule) {
  if (rule.overflow == OverflowRule::kSaturate || rule.mode == RoundingMode::kTowardZero) {
    return max_finite_of(format, negative);
  }
  return infinity_of(format, negative);
}

}  // namespace

Code round(bool negative, const LeadingBits& magnitude, const FloatFormat& format,
           RoundingRule rule) {
  const Split split = split_at_quantum(magnitude, format);
  const std::uint64_t significand = split.kept + (rounds_up(split, rule.mode) ? 1 : 0);
  // Codes are ordered like the numbers, so "significand plus exponent offset" is the code of both
  // normal and subnormal numbers, and a carry out of the significand lands in the next binade.
  const std::int64_t binade = split.quantum - format.quantum_exponent();  // 0: lowest or subnormal
  if (binade > format.emax - format.emin) return overflow(negative, format, rule);
  const std::uint64_t offset = static_cast<std::uint64_t>(binade) << format.fraction_bits();
  const std::uint64_t code = significand + offset;
  if (code > format.max_finite_magnitude()) return overflow(negative, format, rule);
  return {negative ? code | format.sign_mask() : code, &format};
}

Code round(const Dyadic& value, const FloatFormat& format, RoundingRule rule) {
  return round(value.negative, leading_bits(value), format, rule);
}

Code convert(Code code, const FloatFormat& format, RoundingRule rule) {
  const std::uint64_t sign = code.negative() ? format.sign_mask() : 0;
  switch (classify(code)) {
    case FloatClass::kNan:
      return {format.nan_magnitude() | sign, &format};
    case FloatClass::kInfinity:
      return rule.overflow == OverflowRule::kSaturate ? max_finite_of(format, code.negative())
                                                      : infinity_of(format, code.negative());
    default:
      return round(decode(code), format, rule);
  }
}

bool is_representable(const LeadingBits& magnitude, const FloatFormat& format) {
  return split_at_quantum(magnitude, format).exact && is_finite(round(false, magnitude, format));
}

std::int64_t ulp_exponent(const LeadingBits& magnitude, const FloatFormat& format) {
  const std::int64_t exponent = magnitude.top == 0
                                    ? format.emin
                                    : std::max<std::int64_t>(exponent_of(magnitude), format.emin);
  return exponent - format.precision + 1;
}

bool is_faithful(Code got, bool negative, const LeadingBits& magnitude, OverflowRule overflow) {
  const FloatFormat& format = *got.format;
  if (magnitude.top == 0) return got.magnitude() == 0;  // of either sign
  for (const RoundingMode mode : {RoundingMode::kTowardZero, RoundingMode::kAwayFromZero}) {
    Code bound = round(negative, magnitude, format, {mode, overflow});
    // Past overflow the greatest finite number does not enclose the value on its own.
    if (mode == RoundingMode::kTowardZero && overflow == OverflowRule::kFormat &&
        round(negative, magnitude, format, {RoundingMode::kNearestEven, overflow}).magnitude() >
            format.max_finite_magnitude()) {
      continue;
    }
    if (same_bits(got, bound)) return true;
    if (got.magnitude() == 0 && bound.magnitude() == 0) return true;  // underflow: sign is apart
  }
  return false;
}

}  // namespace normcert
