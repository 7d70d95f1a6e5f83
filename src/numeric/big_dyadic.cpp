#include "numeric/big_dyadic.hpp"

#include <algorithm>

#include "numeric/big_dyadic_parts.hpp"

namespace normcert {
namespace {

using boost::multiprecision::msb;

BigInteger big(Uint128 value) {
  BigInteger result = static_cast<std::uint64_t>(value >> 64);
  result <<= 64;
  return result |= static_cast<std::uint64_t>(value);
}

std::int64_t bits_of(const BigInteger& positive) {
  return static_cast<std::int64_t>(msb(positive)) + 1;
}

void shift_left(BigInteger& integer, std::int64_t by) {
  if (by != 0) integer <<= static_cast<std::size_t>(by);
}

// floor(integer x 2^by); sets `sticky` where something was cut off.
BigInteger shifted(const BigInteger& integer, std::int64_t by, bool& sticky) {
  BigInteger result = integer;
  if (by >= 0) {
    shift_left(result, by);
  } else {
    result >>= static_cast<std::size_t>(-by);
    sticky = sticky || (result << static_cast<std::size_t>(-by)) != integer;
  }
  return result;
}

// `integer` has at least 64 bits; the value is (integer + f) x 2^exponent, sticky == (f != 0).
LeadingBits cut_to_64(const BigInteger& integer, std::int64_t exponent, bool sticky) {
  const std::int64_t excess = bits_of(integer) - 64;
  const BigInteger top = shifted(integer, -excess, sticky);
  return {static_cast<std::uint64_t>(top), exponent + excess, sticky};
}

}  // namespace

BigDyadic::BigDyadic() : parts_(std::make_unique<Parts>()) {}

BigDyadic::BigDyadic(const Dyadic& value) : BigDyadic() {
  parts_->integer = big(value.magnitude);
  if (value.negative) parts_->integer = -parts_->integer;
  parts_->exponent = value.exponent;
}

BigDyadic::BigDyadic(double value) : BigDyadic(dyadic_of(value)) {}

BigDyadic BigDyadic::integer(std::uint64_t value) { return Dyadic{false, value, 0}; }

BigDyadic BigDyadic::decimal_integer(const std::string& digits) {
  BigDyadic result;
  // Boost reads a leading 0 as octal; without it there is no other reading than decimal.
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  result.parts_->integer = BigInteger(digits.substr(first));
  return result;
}

BigDyadic BigDyadic::power_of_ten(unsigned exponent) {
  BigDyadic result;
  result.parts_->integer = boost::multiprecision::pow(BigInteger(10), exponent);
  return result;
}

BigDyadic BigDyadic::power_of_two(std::int64_t exponent) {
  return integer(1).times_power_of_two(exponent);
}

BigDyadic::BigDyadic(const BigDyadic& other) : parts_(std::make_unique<Parts>(*other.parts_)) {}
// A moved-from value is a zero, not a trap.
BigDyadic::BigDyadic(BigDyadic&& other) noexcept : BigDyadic() { parts_.swap(other.parts_); }
BigDyadic& BigDyadic::operator=(const BigDyadic& other) {
  *parts_ = *other.parts_;
  return *this;
}
BigDyadic& BigDyadic::operator=(BigDyadic&& other) noexcept {
  parts_.swap(other.parts_);
  return *this;
}
BigDyadic::~BigDyadic() = default;

int BigDyadic::sign() const { return parts_->integer.sign(); }

BigDyadic BigDyadic::magnitude() const {
  BigDyadic result(*this);
  if (sign() < 0) result.parts_->integer = -result.parts_->integer;
  return result;
}

BigDyadic& BigDyadic::operator+=(const BigDyadic& other) {
  const Parts& term = *other.parts_;
  if (term.integer.is_zero()) return *this;
  if (parts_->integer.is_zero()) return *this = other;
  const std::int64_t difference = term.exponent - parts_->exponent;
  if (difference >= 0) {
    BigInteger aligned = term.integer;
    shift_left(aligned, difference);
    parts_->integer += aligned;
  } else {
    shift_left(parts_->integer, -difference);
    parts_->exponent = term.exponent;
    parts_->integer += term.integer;
  }
  return *this;
}

BigDyadic& BigDyadic::operator-=(const BigDyadic& other) {
  BigDyadic negated(other);
  negated.parts_->integer = -negated.parts_->integer;
  return *this += negated;
}

BigDyadic& BigDyadic::operator*=(const BigDyadic& other) {
  const std::int64_t exponent = parts_->exponent + other.parts_->exponent;
  parts_->integer *= other.parts_->integer;
  parts_->exponent = parts_->integer.is_zero() ? 0 : exponent;
  return *this;
}

BigDyadic BigDyadic::times_power_of_two(std::int64_t exponent) const {
  BigDyadic result(*this);
  if (sign() != 0) result.parts_->exponent += exponent;
  return result;
}

int compare(const BigDyadic& a, const BigDyadic& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  if (a.sign() == 0) return 0;
  // The position of the leading bit decides almost always, without aligning the numbers.
  const auto top = [](const BigDyadic::Parts& p) { return p.exponent + bits_of(abs(p.integer)); };
  const std::int64_t top_a = top(a.parts());
  const std::int64_t top_b = top(b.parts());
  if (top_a != top_b) return (top_a < top_b) == (a.sign() > 0) ? -1 : 1;
  return (a - b).sign();
}

LeadingBits leading_bits(const BigDyadic& value) {
  if (value.sign() == 0) return {};
  const BigInteger magnitude = abs(value.parts().integer);
  return cut_to_64(magnitude, value.parts().exponent, false);
}

namespace {

struct Quotient {
  BigInteger value;
  bool has_remainder = false;
};

// floor(n / d 2^shift) for n >= 0, d > 0.
Quotient scaled_quotient(BigInteger n, BigInteger d, std::int64_t shift) {
  shift_left(shift >= 0 ? n : d, shift >= 0 ? shift : -shift);
  Quotient quotient;
  BigInteger remainder;
  divide_qr(n, d, quotient.value, remainder);
  quotient.has_remainder = !remainder.is_zero();
  return quotient;
}

}  // namespace

LeadingBits leading_bits_of_ratio(const BigDyadic& numerator, const BigDyadic& denominator) {
  if (numerator.sign() == 0) return {};
  const BigInteger n = abs(numerator.parts().integer);
  const BigInteger d = abs(denominator.parts().integer);
  // The quotient is to have 65 or 66 bits.
  const std::int64_t shift = 65 - (bits_of(n) - bits_of(d));
  const Quotient quotient = scaled_quotient(n, d, shift);
  return cut_to_64(quotient.value,
                   numerator.parts().exponent - denominator.parts().exponent - shift,
                   quotient.has_remainder);
}

LeadingBits leading_bits_of_root(const BigDyadic& numerator, const BigDyadic& denominator) {
  if (numerator.sign() == 0) return {};
  const BigInteger n = abs(numerator.parts().integer);
  const BigInteger d = abs(denominator.parts().integer);
  // sqrt(n/d 2^e) = sqrt(floor(n/d 2^shift) + f) 2^((e - shift)/2) with an even e - shift and a
  // quotient of 130 to 132 bits, so that the integer root has 65 or 66. floor(sqrt(k + f)) is
  // floor(sqrt(k)) for an integer k and 0 <= f < 1.
  const std::int64_t exponent = numerator.parts().exponent - denominator.parts().exponent;
  std::int64_t shift = 130 - (bits_of(n) - bits_of(d));
  if (((exponent - shift) & 1) != 0) ++shift;
  const Quotient quotient = scaled_quotient(n, d, shift);
  BigInteger root_remainder;
  const BigInteger root = sqrt(quotient.value, root_remainder);
  return cut_to_64(root, (exponent - shift) / 2,
                   quotient.has_remainder || !root_remainder.is_zero());
}

}  // namespace normcert
