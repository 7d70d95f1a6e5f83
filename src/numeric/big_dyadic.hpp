// Dyadic rationals without any limit: sums and products of any number of floating-point values,
// exactly. The slow, plainly right arithmetic that every decision of last resort rests on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "numeric/dyadic.hpp"

namespace normcert {

// m x 2^e with a signed integer m of any size. Every operation is exact.
class BigDyadic {
 public:
  BigDyadic();  // zero
  BigDyadic(const Dyadic& value);
  explicit BigDyadic(double value);  // requires a finite value
  static BigDyadic integer(std::uint64_t value);
  // The non-negative integer of these decimal digits (at least one, nothing else).
  static BigDyadic decimal_integer(const std::string& digits);
  static BigDyadic power_of_ten(unsigned exponent);
  static BigDyadic power_of_two(std::int64_t exponent);

  BigDyadic(const BigDyadic& other);
  BigDyadic(BigDyadic&& other) noexcept;
  BigDyadic& operator=(const BigDyadic& other);
  BigDyadic& operator=(BigDyadic&& other) noexcept;
  ~BigDyadic();

  [[nodiscard]] int sign() const;  // -1, 0, 1
  [[nodiscard]] BigDyadic magnitude() const;

  BigDyadic& operator+=(const BigDyadic& other);
  BigDyadic& operator-=(const BigDyadic& other);
  BigDyadic& operator*=(const BigDyadic& other);
  friend BigDyadic operator+(BigDyadic a, const BigDyadic& b) { return a += b; }
  friend BigDyadic operator-(BigDyadic a, const BigDyadic& b) { return a -= b; }
  friend BigDyadic operator*(BigDyadic a, const BigDyadic& b) { return a *= b; }
  [[nodiscard]] BigDyadic times_power_of_two(std::int64_t exponent) const;

  // Sign of a - b.
  friend int compare(const BigDyadic& a, const BigDyadic& b);

  struct Parts;  // an integer and an exponent, known to the .cpp files that do the arithmetic
  [[nodiscard]] const Parts& parts() const { return *parts_; }
  [[nodiscard]] Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

int compare(const BigDyadic& a, const BigDyadic& b);

// Exact: the leading bits of |value|.
[[nodiscard]] LeadingBits leading_bits(const BigDyadic& value);
// Exact: the leading bits of |numerator / denominator|. Requires a denominator other than zero.
[[nodiscard]] LeadingBits leading_bits_of_ratio(const BigDyadic& numerator,
                                                const BigDyadic& denominator);
// Exact: the leading bits of sqrt(|numerator / denominator|). Requires a denominator other than 0.
[[nodiscard]] LeadingBits leading_bits_of_root(const BigDyadic& numerator,
                                               const BigDyadic& denominator);

}  // namespace normcert
