#include "numeric/rounding_mutants.hpp"

#include <array>

namespace normcert {
namespace {

// Each defect is a few lines on top of the right function; what they need to know about the value
// is asked of that function too, so that nothing else differs from it.

bool is_even(Code code) { return code.bits % 2 == 0; }
Code toward_zero(const Dyadic& v, const FloatFormat& f) {
  return round(v, f, {RoundingMode::kTowardZero});
}
bool is_exact(const Dyadic& v, const FloatFormat& f) {
  return toward_zero(v, f) == round(v, f, {RoundingMode::kAwayFromZero});
}
Dyadic nudged(const Dyadic& v, int by) {
  return {v.negative, (v.magnitude << 2) + static_cast<Uint128>(by), v.exponent - 2};
}
bool has_room(const Dyadic& v) { return bit_length(v.magnitude) <= 126 && v.magnitude != 0; }
bool is_tie(const Dyadic& v, const FloatFormat& f) {
  return has_room(v) && !is_exact(v, f) && !(round(nudged(v, 1), f) == round(nudged(v, -1), f));
}
bool is_nearest(RoundingRule rule) { return rule.mode == RoundingMode::kNearestEven; }
int exponent_of(const Dyadic& v) { return v.exponent + bit_length(v.magnitude) - 1; }
bool is_below_normal(const Dyadic& v, const FloatFormat& f) {
  return v.magnitude != 0 && exponent_of(v) < f.emin;
}

// v with its magnitude cut to `digits` binary digits by `mode` (all of them where it has fewer).
Dyadic to_digits(const Dyadic& v, int digits, RoundingMode mode) {
  const int excess = bit_length(v.magnitude) - digits;
  if (excess <= 0) return v;
  if (excess > 127) return {v.negative, 0, v.exponent};
  const Uint128 rest = v.magnitude % (Uint128{1} << excess);
  const Uint128 half = Uint128{1} << (excess - 1);
  Uint128 kept = v.magnitude >> excess;
  const bool tie_up = rest == half && kept % 2 == 1;
  if (mode == RoundingMode::kNearestEven && (rest > half || tie_up)) ++kept;
  if (mode == RoundingMode::kAwayFromZero && rest != 0) ++kept;
  return {v.negative, kept, v.exponent + excess};
}

Code ties_away(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return is_nearest(rule) && is_tie(v, f) ? round(nudged(v, 1), f, rule) : round(v, f, rule);
}
Code ties_to_zero(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return is_nearest(rule) && is_tie(v, f) ? round(nudged(v, -1), f, rule) : round(v, f, rule);
}
Code ties_to_odd(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  if (!is_nearest(rule) || !is_tie(v, f)) return round(v, f, rule);
  return round(nudged(v, is_even(toward_zero(v, f)) ? 1 : -1), f, rule);
}
Code sticky_ignored(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  LeadingBits bits = leading_bits(v);
  bits.sticky = false;
  return round(v.negative, bits, f, rule);
}
Code nearest_truncates(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return is_nearest(rule) ? round(v, f, {RoundingMode::kTowardZero, rule.overflow})
                          : round(v, f, rule);
}
Code negatives_rounded_down(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  if (v.negative && rule.mode == RoundingMode::kTowardZero) {
    return round(v, f, {RoundingMode::kAwayFromZero, rule.overflow});
  }
  return round(v, f, rule);
}
Code tie_before_a_carry_truncated(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code below = toward_zero(v, f);
  const bool carries = (below.bits & f.fraction_mask()) == f.fraction_mask();
  return carries && is_nearest(rule) && is_tie(v, f) ? below : round(v, f, rule);
}
// Significand and exponent are put together with "or": the carry is lost, the exponent stays.
Code carry_lost(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code below = toward_zero(v, f);
  const Code right = round(v, f, rule);
  if (!is_finite(right) || is_even(below) || right == below) return right;
  const bool carries = (below.bits & f.fraction_mask()) == f.fraction_mask();
  return carries ? Code{below.bits & ~f.fraction_mask(), &f} : right;
}
Code subnormals_flushed(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  return classify(right) == FloatClass::kSubnormal ? zero_of(f, v.negative) : right;
}
// Tiny before rounding is flushed, although the rounding would have reached a normal number.
Code flushed_before_rounding(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  const bool reaches_normal = classify(right) == FloatClass::kNormal;
  return is_below_normal(v, f) && reaches_normal ? zero_of(f, v.negative) : right;
}
Code subnormals_rounded_twice(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return is_below_normal(v, f) ? round(to_digits(v, f.precision, rule.mode), f, rule)
                               : round(v, f, rule);
}
Code half_of_the_least_rounds_up(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const bool is_half = is_nearest(rule) && is_tie(v, f) && exponent_of(v) < f.quantum_exponent();
  return is_half ? round(nudged(v, 1), f, rule) : round(v, f, rule);
}
Code least_binade_one_digit_short(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  if (v.magnitude == 0 || exponent_of(v) != f.emin) return round(v, f, rule);
  return round(to_digits(v, f.precision - 1, rule.mode), f, rule);
}
Code overflow_at_the_greatest_number(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const bool beyond = compare_magnitude(v, decode(max_finite_of(f, false))) > 0;
  return beyond && is_nearest(rule) ? round(v, f, {RoundingMode::kAwayFromZero, rule.overflow})
                                    : round(v, f, rule);
}
// Infinity only from the next power of two (or the next number of an "fn" format) on.
Code overflow_half_an_ulp_late(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  Dyadic next = decode(max_finite_of(f, false));
  ++next.magnitude;
  return is_nearest(rule) && compare_magnitude(v, next) < 0 && !is_finite(round(v, f))
             ? max_finite_of(f, v.negative)
             : round(v, f, rule);
}
Code overflow_always_saturates(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return round(v, f, {rule.mode, OverflowRule::kSaturate});
}
Code saturation_ignored(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return round(v, f, {rule.mode});
}
Code truncation_overflows(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  const bool beyond = !is_finite(round(v, f));
  return beyond && rule.overflow == OverflowRule::kFormat ? infinity_of(f, v.negative) : right;
}
Code overflow_loses_the_sign(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  return is_finite(right) ? right : infinity_of(f, false);
}
// Takes the greatest exponent field for specials, as IEEE 754 formats have it.
Code fn_overflow_like_ieee(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  if (f.has_infinity() || right.magnitude() < f.infinity_magnitude()) return right;
  return {f.infinity_magnitude() | (right.bits & f.sign_mask()), &f};
}
// The code after the greatest of an "fn" format carries into the sign.
Code fn_overflow_wraps(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  return f.has_infinity() || !is_nan(right) ? right : Code{f.sign_mask() ^ (right.bits + 1), &f};
}
Code fn_tie_at_the_top_overflows(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const bool at_top = toward_zero(v, f).magnitude() == f.max_finite_magnitude();
  return at_top && is_nearest(rule) && is_tie(v, f) ? round(nudged(v, 1), f, rule)
                                                    : round(v, f, rule);
}
Code sign_of_zero_lost(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return v.magnitude == 0 ? zero_of(f, false) : round(v, f, rule);
}
Code sign_of_underflow_lost(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  const Code right = round(v, f, rule);
  return right.magnitude() == 0 && v.magnitude != 0 ? zero_of(f, false) : right;
}
Code away_loses_tiny_values(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return exponent_of(v) < f.quantum_exponent() - 64 ? zero_of(f, v.negative) : round(v, f, rule);
}
Code twice_through_binary32(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return f.precision < 24 ? convert(round(v, kFp32, rule), f, rule) : round(v, f, rule);
}
Code twice_through_binary64(const Dyadic& v, const FloatFormat& f, RoundingRule rule) {
  return convert(round(v, kFp64, rule), f, rule);
}

constexpr std::array kMutants{
    RoundingMutant{"ties_away", ties_away},
    RoundingMutant{"ties_to_zero", ties_to_zero},
    RoundingMutant{"ties_to_odd", ties_to_odd},
    RoundingMutant{"sticky_ignored", sticky_ignored},
    RoundingMutant{"nearest_truncates", nearest_truncates},
    RoundingMutant{"negatives_rounded_down", negatives_rounded_down},
    RoundingMutant{"tie_before_a_carry_truncated", tie_before_a_carry_truncated},
    RoundingMutant{"carry_lost", carry_lost},
    RoundingMutant{"subnormals_flushed", subnormals_flushed},
    RoundingMutant{"flushed_before_rounding", flushed_before_rounding},
    RoundingMutant{"subnormals_rounded_twice", subnormals_rounded_twice},
    RoundingMutant{"half_of_the_least_rounds_up", half_of_the_least_rounds_up},
    RoundingMutant{"least_binade_one_digit_short", least_binade_one_digit_short},
    RoundingMutant{"overflow_at_the_greatest_number", overflow_at_the_greatest_number},
    RoundingMutant{"overflow_half_an_ulp_late", overflow_half_an_ulp_late},
    RoundingMutant{"overflow_always_saturates", overflow_always_saturates},
    RoundingMutant{"saturation_ignored", saturation_ignored},
    RoundingMutant{"truncation_overflows", truncation_overflows},
    RoundingMutant{"overflow_loses_the_sign", overflow_loses_the_sign},
    RoundingMutant{"fn_overflow_like_ieee", fn_overflow_like_ieee},
    RoundingMutant{"fn_overflow_wraps", fn_overflow_wraps},
    RoundingMutant{"fn_tie_at_the_top_overflows", fn_tie_at_the_top_overflows},
    RoundingMutant{"sign_of_zero_lost", sign_of_zero_lost},
    RoundingMutant{"sign_of_underflow_lost", sign_of_underflow_lost},
    RoundingMutant{"away_loses_tiny_values", away_loses_tiny_values},
    RoundingMutant{"twice_through_binary32", twice_through_binary32},
    RoundingMutant{"twice_through_binary64", twice_through_binary64},
};

}  // namespace

std::span<const RoundingMutant> rounding_mutants() { return kMutants; }

}  // namespace normcert
