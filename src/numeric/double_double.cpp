#include "numeric/double_double.hpp"

#include <bit>
#include <cfloat>
#include <cstdint>
#include <utility>

namespace normcert {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "double-double arithmetic needs plain binary64 operations");

constexpr int kDropped = 300;

// Exponent e of a normal number, 2^e <= |value| < 2^(e+1).
int field_exponent(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) - 1023;
}

}  // namespace

double times_power_of_two(double value, int exponent) {
  if (exponent >= -1022 && exponent <= 1023) {
    return value * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  return std::ldexp(value, exponent);
}

ScaledDoubleDouble normalized(ScaledDoubleDouble number) {
  if (number.high == 0) return number;
  if (std::fabs(number.high) < DBL_MIN) {
    number = {number.high * 0x1p64, number.low * 0x1p64, number.exponent - 64};
  }
  const int exponent = field_exponent(number.high);
  return {times_power_of_two(number.high, -exponent), times_power_of_two(number.low, -exponent),
          number.exponent + exponent};
}

ScaledDoubleDouble add_nonnegative(ScaledDoubleDouble a, ScaledDoubleDouble b) {
  if (a.high == 0) return b;
  if (b.high == 0) return a;
  if (a.exponent < b.exponent) std::swap(a, b);
  const int distance = a.exponent - b.exponent;
  if (distance >= kDropped) return a;
  const DoubleDouble sum = add({a.high, a.low}, {times_power_of_two(b.high, -distance),
                                                 times_power_of_two(b.low, -distance)});
  return normalized({sum.high, sum.low, a.exponent});
}

bool arithmetic_is_default() {
  // volatile: computed when asked, by the processor as it is set now.
  const volatile double one = 1;
  const volatile double least_normal = DBL_MIN;
  const volatile double least = 0x1p-1074;
  const volatile double half_unit = 0x1p-53;
  const volatile double more = 0x1.8p-53;
  const bool to_nearest =
      one + half_unit == one && -one - half_unit == -one && one + more > one && -one - more < -one;
  const volatile double subnormal_result = least_normal * 0.5;
  const volatile double subnormal_operand = least * 0x1p60;
  return to_nearest && subnormal_result > 0 && subnormal_operand > 0;
}

}  // namespace normcert
