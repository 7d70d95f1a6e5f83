#include "numeric/interval_text.hpp"

#include <cstdio>
#include <limits>

namespace normcert {
namespace {

std::string text_of(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0.0 : value);
  return text;
}

}  // namespace

std::string interval_text(double low, double high, int digits) {
  std::string from = text_of(low, digits);
  std::string to = text_of(high, digits);
  if (low == high) return from;
  while (from == to && digits < std::numeric_limits<double>::max_digits10) {
    ++digits;
    from = text_of(low, digits);
    to = text_of(high, digits);
  }
  return from == to ? from : from + " .. " + to;
}

}  // namespace normcert
