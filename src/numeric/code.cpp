#include "numeric/code.hpp"

#include <bit>

#include "numeric/rounding.hpp"

namespace normcert {
namespace {

std::uint64_t exponent_field(Code code) { return code.magnitude() >> code.format->fraction_bits(); }

// Magnitude of the greatest value that is not NaN.
std::uint64_t greatest_magnitude(const FloatFormat& format) {
  return format.has_infinity() ? format.infinity_magnitude() : format.max_finite_magnitude();
}

Code signed_code(const FloatFormat& format, bool negative, std::uint64_t magnitude) {
  return {negative ? magnitude | format.sign_mask() : magnitude, &format};
}

}  // namespace

FloatClass classify(Code code) {
  const FloatFormat& format = *code.format;
  const std::uint64_t magnitude = code.magnitude();
  if (magnitude == 0) return FloatClass::kZero;
  if (magnitude <= format.max_finite_magnitude()) {
    return exponent_field(code) == 0 ? FloatClass::kSubnormal : FloatClass::kNormal;
  }
  if (format.has_infinity() && magnitude == format.infinity_magnitude()) {
    return FloatClass::kInfinity;
  }
  return FloatClass::kNan;
}

bool is_finite(Code code) { return code.magnitude() <= code.format->max_finite_magnitude(); }
bool is_nan(Code code) { return classify(code) == FloatClass::kNan; }
bool is_infinite(Code code) { return classify(code) == FloatClass::kInfinity; }

Dyadic decode(Code code) {
  const FloatFormat& format = *code.format;
  const std::uint64_t fraction = code.magnitude() & format.fraction_mask();
  const auto field = static_cast<int>(exponent_field(code));
  if (field == 0) return {code.negative(), fraction, format.quantum_exponent()};
  const std::uint64_t hidden_bit = std::uint64_t{1} << format.fraction_bits();
  return {code.negative(), fraction | hidden_bit, format.quantum_exponent() + field - 1};
}

double to_binary64(Code code) {
  // The processor widens binary32 exactly; bf16 is its upper half.
  if (*code.format == kFp64) return std::bit_cast<double>(code.bits);
  if (*code.format == kFp32) return std::bit_cast<float>(static_cast<std::uint32_t>(code.bits));
  if (*code.format == kBf16) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code.bits << 16));
  }
  return std::bit_cast<double>(convert(code, kFp64).bits);
}

Code code_of(double value) { return {std::bit_cast<std::uint64_t>(value), &kFp64}; }
Code code_of(float value) { return {std::bit_cast<std::uint32_t>(value), &kFp32}; }

Code zero_of(const FloatFormat& format, bool negative) { return signed_code(format, negative, 0); }

Code infinity_of(const FloatFormat& format, bool negative) {
  return signed_code(format, negative,
                     format.has_infinity() ? format.infinity_magnitude() : format.nan_magnitude());
}

Code nan_of(const FloatFormat& format) { return {format.nan_magnitude(), &format}; }

Code max_finite_of(const FloatFormat& format, bool negative) {
  return signed_code(format, negative, format.max_finite_magnitude());
}

std::int64_t rank(Code code) {
  const auto magnitude = static_cast<std::int64_t>(code.magnitude());
  return code.negative() ? -magnitude : magnitude;
}

Code code_of_rank(std::int64_t rank, const FloatFormat& format) {
  return signed_code(format, rank < 0, static_cast<std::uint64_t>(rank < 0 ? -rank : rank));
}

std::uint64_t code_distance(Code a, Code b) {
  if (a.negative() != b.negative()) return a.magnitude() + b.magnitude();
  return a.magnitude() > b.magnitude() ? a.magnitude() - b.magnitude()
                                       : b.magnitude() - a.magnitude();
}

Code next_up(Code code) {
  const auto greatest = static_cast<std::int64_t>(greatest_magnitude(*code.format));
  if (is_nan(code) || rank(code) == greatest) return code;
  // The number before the zeros steps to -0, as IEEE 754 nextUp does for the least negative.
  if (rank(code) == -1) return zero_of(*code.format, true);
  return code_of_rank(rank(code) + 1, *code.format);
}

Code next_down(Code code) {
  if (is_nan(code)) return code;
  const Code up = next_up({code.bits ^ code.format->sign_mask(), code.format});
  return {up.bits ^ code.format->sign_mask(), code.format};
}

bool same_bits(Code a, Code b) { return a == b || (is_nan(a) && is_nan(b)); }

}  // namespace normcert
