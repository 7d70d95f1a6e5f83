#include "numeric/narrow_operations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

// Exact results that are no dyadic, or too long for one, are cut off far below the last digit of
// every format and get a 1 behind the cut: they round to the same number.
Dyadic with_sticky(bool negative, Uint128 magnitude, int exponent, bool sticky) {
  return {negative, magnitude << 1 | (sticky ? 1U : 0U), exponent - 1};
}

Dyadic sum_of(Dyadic a, Dyadic b) {
  if (a.magnitude == 0 || b.magnitude == 0) {
    if (a.magnitude == b.magnitude) return {a.negative && b.negative, 0, 0};
    return a.magnitude == 0 ? b : a;
  }
  if (a.exponent < b.exponent) std::swap(a, b);
  constexpr int kFar = 100;  // significands have at most 11 bits
  const bool is_far = a.exponent - b.exponent > kFar;
  const Uint128 x = a.magnitude << std::min(a.exponent - b.exponent, kFar);
  const Uint128 y = is_far ? 1 : b.magnitude;
  const int exponent = is_far ? a.exponent - kFar : b.exponent;
  if (a.negative == b.negative) return {a.negative, x + y, exponent};
  if (x == y) return {false, 0, 0};
  return {x > y ? a.negative : b.negative, x > y ? x - y : y - x, exponent};
}

Dyadic quotient_of(const Dyadic& a, const Dyadic& b) {
  constexpr int kShift = 100;
  const Uint128 scaled = a.magnitude << kShift;
  return with_sticky(a.negative != b.negative, scaled / b.magnitude,
                     a.exponent - b.exponent - kShift, scaled % b.magnitude != 0);
}

Dyadic root_of(const Dyadic& a) {
  const int odd = a.exponent & 1;
  constexpr int kShift = 40;
  const auto scaled = static_cast<std::uint64_t>(a.magnitude << (kShift + odd));
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(scaled)));
  while (root * root > scaled) --root;
  while ((root + 1) * (root + 1) <= scaled) ++root;
  return with_sticky(a.negative, root, (a.exponent - odd - kShift) / 2, root * root != scaled);
}

float in_binary32(Code code) { return static_cast<float>(to_binary64(code)); }
Code rounded_again(float value, const FloatFormat& format) {
  return convert(code_of(value), format);
}

Code add_once(Code a, Code b) { return round(sum_of(decode(a), decode(b)), *a.format); }
Code add_twice(Code a, Code b) { return rounded_again(in_binary32(a) + in_binary32(b), *a.format); }
Code subtract_once(Code a, Code b) {
  return add_once(a, {b.bits ^ b.format->sign_mask(), b.format});
}
Code subtract_twice(Code a, Code b) {
  return rounded_again(in_binary32(a) - in_binary32(b), *a.format);
}
Code multiply_once(Code a, Code b) { return round(multiply(decode(a), decode(b)), *a.format); }
Code multiply_twice(Code a, Code b) {
  return rounded_again(in_binary32(a) * in_binary32(b), *a.format);
}
Code divide_once(Code a, Code b) { return round(quotient_of(decode(a), decode(b)), *a.format); }
Code divide_twice(Code a, Code b) {
  return rounded_again(in_binary32(a) / in_binary32(b), *a.format);
}

}  // namespace

const std::array<NarrowOperation, 4> kNarrowOperations{{
    {"sum", add_once, add_twice},
    {"difference", subtract_once, subtract_twice},
    {"product", multiply_once, multiply_twice},
    {"quotient", divide_once, divide_twice},
}};

Code root_rounded_once(Code a) { return round(root_of(decode(a)), *a.format); }
Code root_through_binary32(Code a) { return rounded_again(std::sqrt(in_binary32(a)), *a.format); }

}  // namespace normcert
