#include "numeric/exponential.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "numeric/big_dyadic.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

namespace mp = boost::multiprecision;

// cpp_bin_float's exp is off by a few units in the last place; this takes 2^20 of them. No
// binary32 or binary64 number is known to need more than 2^-170 (the hardest binary64 case needs
// 2^-113: Lefevre, Muller, "Worst cases for correct rounding of the elementary functions in double
// precision", 2001).
constexpr int kPrecision = 320;
using Float = mp::number<mp::cpp_bin_float<kPrecision, mp::digit_base_2, void, std::int32_t>>;

Code rounded_to(const Float& value, const FloatFormat& format) {
  int exponent = 0;
  const Float significand = mp::frexp(value, &exponent);  // in [1/2, 1)
  const mp::cpp_int integer(mp::ldexp(significand, kPrecision));
  BigDyadic exact;
  for (int limb = kPrecision / 32 - 1; limb >= 0; --limb) {
    const auto word = static_cast<std::uint64_t>((integer >> (32 * limb)) & 0xffffffffU);
    exact = exact.times_power_of_two(32) + BigDyadic::integer(word);
  }
  return round(false, leading_bits(exact.times_power_of_two(exponent - kPrecision)), format);
}

}  // namespace

Code rounded_exponential(Code x, const FloatFormat& format) {
  if (is_nan(x)) return nan_of(format);
  if (x.magnitude() == 0) return convert(code_of(1.0), format);
  if (!is_finite(x)) return x.negative() ? zero_of(format, false) : infinity_of(format, false);
  const double value = to_binary64(x);
  // Beyond both formats: e^-800 is below half of the least subnormal number, e^800 overflows.
  if (value < -800) return zero_of(format, false);
  if (value > 800) return infinity_of(format, false);
  const Float exact = mp::exp(Float(value));
  const Float margin = mp::ldexp(exact, 20 - kPrecision);
  const Code low = rounded_to(exact - margin, format);
  const Code high = rounded_to(exact + margin, format);
  if (low.bits != high.bits) throw std::logic_error("an exponential needs more than 300 digits");
  return low;
}

// The margin is 16 units in the last place: no exponential of a standard library in binary64 is off
// by more than 2.
float rounded_exponential(float x) {
  const double value = std::exp(double{x});
  const double margin = value * 0x1p-49;
  const auto low = static_cast<float>(value - margin);
  const auto high = static_cast<float>(value + margin);
  if (low == high || !(value > 0) || !std::isfinite(value)) return high;
  return static_cast<float>(to_binary64(rounded_exponential(code_of(double{x}), kFp32)));
}

}  // namespace normcert
