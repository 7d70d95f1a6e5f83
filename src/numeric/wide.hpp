// A binary floating-point number of 256 significand bits, for values that are printed and for
// comparing errors with one another. Boost.Multiprecision's cpp_bin_float, hidden.
//
// Every operation is correctly rounded to 256 bits (cpp_bin_float rounds + - * / and sqrt to
// nearest), so k of them in a row leave a relative error of at most k 2^-256 where nothing cancels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "numeric/big_dyadic.hpp"

namespace normcert {

class Wide {
 public:
  static constexpr int kPrecision = 256;

  Wide();  // zero
  Wide(const BigDyadic& value);
  explicit Wide(double value);  // requires a finite value
  Wide(const Wide& other);
  Wide(Wide&& other) noexcept;
  Wide& operator=(const Wide& other);
  Wide& operator=(Wide&& other) noexcept;
  ~Wide();

  [[nodiscard]] int sign() const;
  [[nodiscard]] Wide magnitude() const;
  friend Wide operator+(const Wide& a, const Wide& b);
  friend Wide operator-(const Wide& a, const Wide& b);
  friend Wide operator*(const Wide& a, const Wide& b);
  friend Wide operator/(const Wide& a, const Wide& b);  // requires b != 0
  friend Wide sqrt(const Wide& a);                      // requires a >= 0
  friend int compare(const Wide& a, const Wide& b);     // sign of a - b, exact
  [[nodiscard]] Wide times_power_of_two(std::int64_t exponent) const;

  // The stored 256-bit number itself, exactly.
  [[nodiscard]] BigDyadic exact() const;
  // Correctly rounded (of the 256-bit number); overflows to infinity.
  [[nodiscard]] double to_binary64() const;
  // `digits` significant decimal digits, correctly rounded half to even from the 256-bit number, in
  // the shape 1.2345e-05 (two exponent digits at least; "0" for zero). Digits at most 70.
  [[nodiscard]] std::string scientific(int digits) const;
  // The stored number itself, exactly: "-0x1a3p-12", a hexadecimal integer times a power of two.
  [[nodiscard]] std::string hex() const;
  // Fixed notation with `decimals` digits behind the point, correctly rounded.
  [[nodiscard]] std::string fixed(int decimals) const;

 private:
  struct Number;
  explicit Wide(std::unique_ptr<Number> number);
  [[nodiscard]] const Number& number() const;
  std::unique_ptr<Number> number_;  // null: zero, so that a number not yet set costs nothing
};

Wide operator+(const Wide& a, const Wide& b);
Wide operator-(const Wide& a, const Wide& b);
Wide operator*(const Wide& a, const Wide& b);
Wide operator/(const Wide& a, const Wide& b);
Wide sqrt(const Wide& a);
int compare(const Wide& a, const Wide& b);

// What hex() wrote: the same number. Nothing for other text.
[[nodiscard]] std::optional<Wide> read_wide(std::string_view text);

}  // namespace normcert
