// Text of a Wide, by integer arithmetic on the exact number.
#include <algorithm>
#include <cmath>

#include "numeric/big_dyadic_parts.hpp"
#include "numeric/decimal.hpp"
#include "numeric/wide.hpp"

namespace normcert {
namespace {

// |value| / 10^power, to the nearest integer, ties to even.
BigInteger scaled(const BigDyadic& value, std::int64_t power) {
  using boost::multiprecision::pow;
  BigInteger numerator = abs(value.parts().integer);
  BigInteger denominator = 1;
  (power < 0 ? numerator : denominator) *=
      pow(BigInteger(10), static_cast<unsigned>(std::abs(power)));
  const std::int64_t exponent = value.parts().exponent;
  (exponent >= 0 ? numerator : denominator) <<= static_cast<std::size_t>(std::abs(exponent));
  BigInteger quotient;
  BigInteger remainder;
  divide_qr(numerator, denominator, quotient, remainder);
  remainder <<= 1;
  const int half_comparison = remainder.compare(denominator);
  if (half_comparison > 0 || (half_comparison == 0 && bit_test(quotient, 0))) ++quotient;
  return quotient;
}

std::string exponent_text(std::int64_t exponent) {
  std::string digits = std::to_string(std::abs(exponent));
  if (digits.size() < 2) digits.insert(0, 1, '0');
  return (exponent < 0 ? "e-" : "e+") + digits;
}

}  // namespace

std::string Wide::scientific(int digits) const {
  if (sign() == 0) return "0";
  const BigDyadic value = exact();
  // 2^e <= |value| < 2^(e+1). floor(e log10 2) is the exponent of the leading digit or one less.
  const std::int64_t e = leading_bits(value).exponent + 63;
  const auto least =
      static_cast<std::int64_t>(std::floor(static_cast<double>(e) * std::log10(2.0)));
  std::int64_t power = least - digits + 1;
  std::string text = scaled(value, power).str();
  // One digit too many, also where 9.99 was rounded to 10.0; never both: the first has a leading 1.
  if (text.size() > static_cast<std::size_t>(digits)) text = scaled(value, ++power).str();
  if (digits > 1) text.insert(1, 1, '.');
  return (sign() < 0 ? "-" : "") + text + exponent_text(power + digits - 1);
}

std::string Wide::hex() const {
  if (sign() == 0) return "0x0p+0";
  BigDyadic value = exact().magnitude();
  BigDyadic::Parts& parts = value.parts();
  const std::size_t zeros = lsb(parts.integer);
  parts.integer >>= zeros;
  parts.exponent += static_cast<std::int64_t>(zeros);
  return (sign() < 0 ? "-0x" : "0x") + parts.integer.str(0, std::ios_base::hex) + 'p' +
         (parts.exponent < 0 ? "" : "+") + std::to_string(parts.exponent);
}

std::optional<Wide> read_wide(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("-0x");
  const auto number = is_hexadecimal ? read_number(text) : std::nullopt;
  if (!number) return std::nullopt;
  const Wide magnitude(number->numerator);
  return number->negative ? Wide() - magnitude : magnitude;
}

std::string Wide::fixed(int decimals) const {
  std::string text = scaled(exact(), -decimals).str();
  const auto places = static_cast<std::size_t>(decimals);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (decimals > 0) text.insert(text.size() - places, 1, '.');
  return (sign() < 0 ? "-" : "") + text;
}

}  // namespace normcert
