#include "report/decimal_text.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace normcert {
namespace {

// 0.d1 d2 d3 ... x 10^point; no digits: zero.
struct Digits {
  std::string digits;
  int point = 0;
};

Digits read_digits(std::string_view scientific) {
  if (scientific == "0") return {};
  const std::size_t e = scientific.find('e');
  Digits number;
  int exponent = 0;
  bool readable = e != std::string_view::npos;
  if (readable) {
    std::string_view tail = scientific.substr(e + 1);
    if (tail.starts_with('+')) tail.remove_prefix(1);
    const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    readable = error == std::errc{} && end == tail.data() + tail.size();
    for (const char c : scientific.substr(0, e)) {
      if (c != '.') number.digits.push_back(c);
    }
    readable = readable && !number.digits.empty() && number.digits[0] != '0' &&
               number.digits.find_first_not_of("0123456789") == std::string::npos;
  }
  if (!readable) throw std::logic_error("not digits of a report: " + std::string(scientific));
  number.point = exponent + 1;
  return number;
}

// Keeps the first `count` digits (a negative count: none, and no carry), half to even.
Digits rounded_to(Digits number, int count) {
  if (count < 0) return {};
  const auto kept = static_cast<std::size_t>(count);
  if (kept >= number.digits.size()) return number;
  const std::string_view rest = std::string_view(number.digits).substr(kept);
  const bool above_tie = rest.find_first_not_of('0', 1) != std::string_view::npos;
  const bool odd = kept > 0 && (number.digits[kept - 1] - '0') % 2 != 0;
  const bool up = rest[0] > '5' || (rest[0] == '5' && (above_tie || odd));
  number.digits.resize(kept);
  if (!up) return number;
  std::size_t i = kept;
  while (i > 0 && number.digits[i - 1] == '9') number.digits[--i] = '0';
  if (i > 0) {
    ++number.digits[i - 1];
  } else {
    number.digits.insert(number.digits.begin(), '1');
    ++number.point;
  }
  return number;
}

// The digit of weight 10^place.
char digit_at(const Digits& number, int place) {
  const int index = number.point - 1 - place;
  const bool inside = index >= 0 && index < static_cast<int>(number.digits.size());
  return inside ? number.digits[static_cast<std::size_t>(index)] : '0';
}

std::string fixed(const Digits& number, int decimals) {
  std::string text;
  for (int place = number.point > 0 ? number.point - 1 : 0; place >= -decimals; --place) {
    if (place == -1) text.push_back('.');
    text.push_back(digit_at(number, place));
  }
  return text;
}

}  // namespace

std::string with_decimals(std::string_view scientific, int decimals) {
  const Digits number = read_digits(scientific);
  return fixed(rounded_to(number, number.point + decimals), decimals);
}

std::string with_significant_digits(std::string_view scientific, int digits) {
  const Digits number = rounded_to(read_digits(scientific), digits);
  if (number.digits.empty()) return "0";
  constexpr int kLeastPoint = -3;  // 1.0e-4 is 0.10 x 10^-3
  if (number.point >= kLeastPoint && number.point <= digits) {
    return fixed(number, digits - number.point);
  }
  std::string text;
  for (int i = 0; i < digits; ++i) {
    if (i == 1) text.push_back('.');
    text.push_back(digit_at(number, number.point - 1 - i));
  }
  const int exponent = number.point - 1;
  const std::string magnitude = std::to_string(std::abs(exponent));
  return text + (exponent < 0 ? "e-" : "e+") + (magnitude.size() < 2 ? "0" : "") + magnitude;
}

}  // namespace normcert
