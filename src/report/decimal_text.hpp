// Decimal numbers for people: short text made from the 40-digit strings of a report.
#pragma once

#include <string>
#include <string_view>

namespace normcert {

// Rounded half to even at the given place from `scientific` ("1.2345e-02", "0"); since those digits
// are themselves rounded, correct unless the exact value lies within 1e-40 (relative) of a tie.
// Requires that shape.
//
// "0.099504": a fixed number of decimals.
[[nodiscard]] std::string with_decimals(std::string_view scientific, int decimals);
// "49.2512562814": significant digits, trailing zeros kept; values below 1e-4, or with more digits
// before the point than `digits`, in the shape 1.2345e-05.
[[nodiscard]] std::string with_significant_digits(std::string_view scientific, int digits);

}  // namespace normcert
