// Numbers as people write them: decimal and C99 hexadecimal text, read exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "numeric/big_dyadic.hpp"
#include "numeric/code.hpp"
#include "numeric/rounding.hpp"

namespace normcert {

// The exact rational number of a text: (-1)^negative x numerator / denominator, and half a unit of
// its last decimal digit as half_unit / denominator (0 for hexadecimal text, which is exact).
struct ExactNumber {
  bool negative = false;
  BigDyadic numerator;    // >= 0
  BigDyadic denominator;  // > 0
  BigDyadic half_unit;
};

// Reads [+-]digits[.digits][e[+-]digits], .5 and 5. included, or 0x1.8p3 (fraction and exponent
// optional). Nothing else: no blanks, "inf", "nan", suffixes. Exponents beyond +-20000 or texts
// longer than 20000 characters are refused, so that hostile text costs nothing: nullopt.
[[nodiscard]] std::optional<ExactNumber> read_number(std::string_view text);

// Correctly rounded, one rounding from the text. Also reads nan, inf, infinity, +inf, -inf in any
// case. Exponents out of read_number's range round to zero or overflow as they should.
[[nodiscard]] std::optional<Code> read_code(std::string_view text, const FloatFormat& format,
                                            RoundingRule rule = {});

// C99 hexadecimal text ("0x1.8p+1", "-0x0p+0", "inf", "nan"), exact, shortest: no trailing zeros.
[[nodiscard]] std::string hex_text(Code code);

// The bits alone, in hexadecimal, as many digits as the format takes: "7fc0".
[[nodiscard]] std::string bits_text(Code code);

// The fewest decimal digits that read back to the same number: "0.125", "1e-05", "inf".
[[nodiscard]] std::string shortest_decimal(double value);
[[nodiscard]] std::string shortest_decimal(float value);

}  // namespace normcert
