#include "numeric/decimal.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace normcert {
namespace {

constexpr std::int64_t kGreatestExponent = 20000;
constexpr std::size_t kLongestText = 20000;

// The parts of a number's text before any arithmetic: the value is digits x 10^exponent, or
// digits x 2^exponent for hexadecimal text.
struct Scanned {
  bool negative = false;
  bool hexadecimal = false;
  std::string digits;                 // without the point; may have leading zeros
  std::int64_t written_exponent = 0;  // saturated far outside range
  std::int64_t exponent = 0;          // the written one less the places behind the point
};

bool is_digit(char c, bool hexadecimal) {
  const auto u = static_cast<unsigned char>(c);
  return (hexadecimal ? std::isxdigit(u) : std::isdigit(u)) != 0;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// [+-]digits to the end of `text`; saturates instead of overflowing.
std::optional<std::int64_t> read_exponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c, false)) return std::nullopt;
    value = std::min<std::int64_t>(10 * value + (c - '0'), std::int64_t{1} << 40);
  }
  return negative ? -value : value;
}

std::optional<Scanned> scan(std::string_view text) {
  if (text.empty() || text.size() > kLongestText) return std::nullopt;
  Scanned scanned;
  if (text[0] == '+' || text[0] == '-') {
    scanned.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x') {
    scanned.hexadecimal = true;
    text.remove_prefix(2);
  }
  const std::int64_t per_place = scanned.hexadecimal ? 4 : 1;
  bool point_seen = false;
  while (!text.empty() && (is_digit(text[0], scanned.hexadecimal) || text[0] == '.')) {
    if (text[0] == '.') {
      if (point_seen) return std::nullopt;
      point_seen = true;
    } else {
      scanned.digits.push_back(lower(text[0]));
      if (point_seen) scanned.exponent -= per_place;
    }
    text.remove_prefix(1);
  }
  if (scanned.digits.empty()) return std::nullopt;
  if (text.empty()) return scanned;
  if (lower(text[0]) != (scanned.hexadecimal ? 'p' : 'e')) return std::nullopt;
  const auto exponent = read_exponent(text.substr(1));
  if (!exponent) return std::nullopt;
  scanned.written_exponent = *exponent;
  scanned.exponent += *exponent;
  return scanned;
}

BigDyadic hexadecimal_integer(std::string_view digits) {
  // Word by word: digit by digit a long text would cost thirty times as much.
  constexpr std::size_t kDigitsPerWord = 16;
  BigDyadic value;
  while (!digits.empty()) {
    // The first word takes the odd digits, so that all others are full.
    const std::size_t taken = (digits.size() - 1) % kDigitsPerWord + 1;
    std::uint64_t word = 0;
    for (const char c : digits.substr(0, taken)) {
      word = word << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    value = value.times_power_of_two(64) + BigDyadic::integer(word);
    digits.remove_prefix(taken);
  }
  return value;
}

ExactNumber evaluate(const Scanned& scanned) {
  ExactNumber number;
  number.negative = scanned.negative;
  if (scanned.hexadecimal) {
    number.numerator = hexadecimal_integer(scanned.digits).times_power_of_two(scanned.exponent);
    number.denominator = BigDyadic::integer(1);
    return number;
  }
  const BigDyadic digits = BigDyadic::decimal_integer(scanned.digits);
  const BigDyadic half = BigDyadic::power_of_two(-1);
  if (scanned.exponent >= 0) {
    const BigDyadic unit = BigDyadic::power_of_ten(static_cast<unsigned>(scanned.exponent));
    number.numerator = digits * unit;
    number.half_unit = half * unit;
    number.denominator = BigDyadic::integer(1);
  } else {
    number.numerator = digits;
    number.half_unit = half;
    number.denominator = BigDyadic::power_of_ten(static_cast<unsigned>(-scanned.exponent));
  }
  return number;
}

bool in_range(const Scanned& scanned) {
  return scanned.written_exponent >= -kGreatestExponent &&
         scanned.written_exponent <= kGreatestExponent;
}

// For a nonzero number: 1 where it is certainly greater than every format's greatest number, -1
// where it is certainly less than a quarter of every format's least one, else 0. Spares the powers
// of ten of hostile exponents, and needs no more than where the first digit stands.
int beyond_every_format(const Scanned& scanned) {
  const std::size_t zeros = scanned.digits.find_first_not_of('0');
  const auto places = static_cast<std::int64_t>(scanned.digits.size() - zeros);
  // base^(first - 1) <= |value| < base^first; 2^1100 and 10^350 lie beyond binary64.
  const std::int64_t first = scanned.exponent + (scanned.hexadecimal ? 4 * places - 3 : places);
  const std::int64_t far = scanned.hexadecimal ? 1100 : 350;
  if (first - 1 > far) return 1;
  return first + (scanned.hexadecimal ? 3 : 0) < -far ? -1 : 0;
}

std::optional<Code> read_special(std::string_view text, const FloatFormat& format,
                                 RoundingRule rule) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::string word(text);
  std::ranges::transform(word, word.begin(), lower);
  if (word == "nan") return nan_of(format);
  if (word == "inf" || word == "infinity")
    return convert(infinity_of(kFp64, negative), format, rule);
  return std::nullopt;
}

}  // namespace

std::optional<ExactNumber> read_number(std::string_view text) {
  const auto scanned = scan(text);
  if (!scanned || !in_range(*scanned)) return std::nullopt;
  return evaluate(*scanned);
}

std::optional<Code> read_code(std::string_view text, const FloatFormat& format, RoundingRule rule) {
  const auto scanned = scan(text);
  if (!scanned) return read_special(text, format, rule);
  const bool is_zero = scanned->digits.find_first_not_of('0') == std::string::npos;
  if (is_zero) return zero_of(format, scanned->negative);
  if (const int beyond = beyond_every_format(*scanned); beyond != 0) {
    constexpr int kFar = 1 << 20;
    return round(Dyadic{scanned->negative, 1, beyond * kFar}, format, rule);
  }
  const ExactNumber number = evaluate(*scanned);
  return round(number.negative, leading_bits_of_ratio(number.numerator, number.denominator), format,
               rule);
}

namespace {

template <typename Real>
std::string shortest(Real value) {
  std::array<char, 64> text{};
  const auto write = [&](std::chars_format format) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format);
    return std::string(text.data(), end.ptr);
  };
  std::string scientific = write(std::chars_format::scientific);
  if (!std::isfinite(value)) return scientific;
  const std::size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  // Where people still read the zeros.
  return exponent >= -4 && exponent < 16 ? write(std::chars_format::fixed) : scientific;
}

}  // namespace

std::string shortest_decimal(double value) { return shortest(value); }
std::string shortest_decimal(float value) { return shortest(value); }

std::string bits_text(Code code) {
  std::string text;
  for (int shift = code.format->code_bits - 4; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[code.bits >> shift & 15U];
  }
  return text;
}

std::string hex_text(Code code) {
  const std::string sign = code.negative() ? "-" : "";
  switch (classify(code)) {
    case FloatClass::kNan:
      return "nan";
    case FloatClass::kInfinity:
      return sign + "inf";
    case FloatClass::kZero:
      return sign + "0x0p+0";
    default:
      break;
  }
  const LeadingBits bits = leading_bits(decode(code));
  std::uint64_t fraction = bits.top << 1;  // the leading 1 falls off the top
  std::string text = sign + "0x1";
  if (fraction != 0) text += '.';
  while (fraction != 0) {
    text += "0123456789abcdef"[fraction >> 60];
    fraction <<= 4;
  }
  const std::int64_t exponent = bits.exponent + 63;
  return text + 'p' + (exponent < 0 ? "" : "+") + std::to_string(exponent);
}

}  // namespace normcert
