// The positive numbers of a format as a grid in binary64: neighbours and midpoints, for formats of
// at most 24 digits. Exact, but for what is said.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulation/hardware_rounding.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

class FloatGrid {
 public:
  explicit FloatGrid(const FloatFormat& format)
      : is_binary32_(format.precision == kFp32.precision),
        rounder_(is_binary32_ ? kBf16 : format),
        least_normal_(std::ldexp(1.0, format.emin)),
        greatest_(std::ldexp(2 - std::ldexp(1.0, 1 - format.precision), format.emax)),
        ulp_of_one_(std::ldexp(1.0, 1 - format.precision)),
        last_digit_(53 - format.precision) {}

  [[nodiscard]] double least_normal() const { return least_normal_; }
  [[nodiscard]] double greatest() const { return greatest_; }

  // Correctly rounded.
  [[nodiscard]] double nearest(double value) const {
    return is_binary32_ ? double{static_cast<float>(value)} : rounder_(value);
  }
  // 2^e for 2^e <= value < 2^(e+1), not below the least normal number.
  [[nodiscard]] double binade(double value) const {
    const double power =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & (std::uint64_t{0x7ff} << 52));
    return power < least_normal_ ? least_normal_ : power;
  }
  [[nodiscard]] double ulp(double value) const { return binade(value) * ulp_of_one_; }

  // Whether a tie goes to a number of the grid: its last digit is 0. Zero and infinity count as
  // even; requires a normal number else.
  [[nodiscard]] bool is_even(double number) const {
    return (std::bit_cast<std::uint64_t>(number) >> last_digit_ & 1) == 0;
  }

  // Neighbours of a number of the grid.
  [[nodiscard]] double next(double number) const {
    return number >= greatest_ ? std::numeric_limits<double>::infinity() : number + ulp(number);
  }
  [[nodiscard]] double previous(double number) const {
    if (number > greatest_) return greatest_;
    const double power = binade(number);
    const bool lowest = number == power && power > least_normal_;
    return number - power * ulp_of_one_ * (lowest ? 0.5 : 1);
  }
  // The least number of the grid that is not below, the greatest one that is not above.
  [[nodiscard]] double ceiling(double value) const {
    const double number = nearest(value);
    return number < value ? next(number) : number;
  }
  [[nodiscard]] double floor(double value) const {
    const double number = nearest(value);
    return number > value ? previous(number) : number;
  }
  // What rounds to the number lies between these.
  [[nodiscard]] double midpoint_below(double number) const {
    if (number > greatest_) return midpoint_above(greatest_);
    return (number + previous(number)) / 2;
  }
  [[nodiscard]] double midpoint_above(double number) const {
    return number > greatest_ ? number : number + ulp(number) / 2;
  }

 private:
  bool is_binary32_;
  NarrowRounder rounder_;
  double least_normal_;
  double greatest_;
  double ulp_of_one_;
  int last_digit_;  // its place among the bits of binary64
};

}  // namespace normcert
