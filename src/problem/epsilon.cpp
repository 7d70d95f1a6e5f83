#include "problem/epsilon.hpp"

#include <cmath>

#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"
#include "problem/error.hpp"

namespace normcert {

Code Epsilon::as(const FloatFormat& format) const { return round(dyadic_of(binary64), format); }

Code Epsilon::as_flushed(const FloatFormat& format) const {
  const Code code = as(format);
  return classify(code) == FloatClass::kSubnormal ? zero_of(format, code.negative()) : code;
}

Epsilon read_epsilon(std::string_view text, const std::string& file, const std::string& place,
                     ZeroEpsilon zero) {
  const auto refuse = [&](const char* code, const char* expected) {
    return InputError({.code = code,
                       .file = file,
                       .place = place,
                       .found = std::string(text),
                       .expected = expected,
                       .nearest = {}});
  };
  const auto code = read_code(text, kFp64);
  if (!code) throw refuse("epsilon_unreadable", "an epsilon such as 1e-6");
  Epsilon epsilon{std::string(text), to_binary64(*code)};
  if (!std::isfinite(epsilon.binary64)) {
    throw refuse("epsilon_not_finite", "an epsilon that is a finite number");
  }
  if (epsilon.binary64 < 0 || std::signbit(epsilon.binary64)) {
    throw refuse("epsilon_not_positive", "an epsilon above 0");
  }
  if (epsilon.binary64 == 0 && zero == ZeroEpsilon::kRefused) {
    throw refuse("epsilon_not_positive", "an epsilon above 0 (as binary64)");
  }
  return epsilon;
}

}  // namespace normcert
