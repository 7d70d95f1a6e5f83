// What every exact result of a norm is: the signed root of a ratio of integers (times powers of
// two), and the questions that are asked of it.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "numeric/big_dyadic.hpp"
#include "numeric/code.hpp"
#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/wide.hpp"

namespace normcert {

// A value with an activation in it could not be told from the number that it was compared with. It
// takes two numbers that agree in some 200 digits although they are not the same: nobody has to
// expect it, and nothing is answered in its place.
class UndecidedComparison : public std::logic_error {
 public:
  explicit UndecidedComparison(const std::string& what) : std::logic_error(what) {}
};

// numerator / denominator. Requires numerator >= 0 and denominator > 0.
struct DyadicRatio {
  BigDyadic numerator;
  std::shared_ptr<const BigDyadic> denominator;
};

// sign x sqrt(numerator / denominator), exactly; or, where the activation of a gate makes it
// transcendental, strictly between the roots of two ratios. All questions but wide() are answered
// for every number between them, or UndecidedComparison is thrown.
class RootOfRatio {
 public:
  RootOfRatio(bool negative, BigDyadic numerator, std::shared_ptr<const BigDyadic> denominator);
  // low < value^2 < high; `middle` lies between them too and stands for the value where it is
  // measured.
  struct Bounds {
    DyadicRatio low;
    DyadicRatio high;
  };
  RootOfRatio(bool negative, DyadicRatio middle, Bounds bounds);

  [[nodiscard]] bool negative() const { return negative_; }  // of a zero too: the sign of g z
  [[nodiscard]] bool is_zero() const { return !bounds_ && numerator_.sign() == 0; }
  // The leading 64 bits of |value| and whether any follow. Computed once and kept, so one element
  // must not be asked by two threads at a time. Of a value that vanishes beside every number of
  // every format (below 2^-kVanishing) the bits are those of the middle: they answer alike.
  [[nodiscard]] const LeadingBits& leading() const;
  // Correctly rounded.
  [[nodiscard]] Code rounded(const FloatFormat& format, RoundingRule rule = {}) const;
  // Sign of value - number.
  [[nodiscard]] int compare_to(const BigDyadic& number) const;
  // Sign of value - numerator/denominator. Requires denominator > 0.
  [[nodiscard]] int compare_to_ratio(const BigDyadic& numerator,
                                     const BigDyadic& denominator) const;
  // Whether the value lies within half a unit of the last digit of a printed number, ends included.
  [[nodiscard]] bool matches_printed(const ExactNumber& printed) const;
  // The value to 256 bits: relative error at most 3 x 2^-256 (two conversions' quotient, its root),
  // and that of the middle.
  [[nodiscard]] Wide wide() const;
  // number^2 - value^2, the subtraction exact, then two conversions and one quotient. Known to at
  // least 160 bits where there are bounds, or below 2^-kVanishing.
  [[nodiscard]] Wide difference_of_squares(const BigDyadic& number) const;

  static constexpr int kVanishing = 100'000;

 private:
  [[nodiscard]] LeadingBits leading_between() const;

  bool negative_;
  BigDyadic numerator_;
  std::shared_ptr<const BigDyadic> denominator_;
  std::shared_ptr<const Bounds> bounds_;  // null: the value is exact
  mutable std::optional<LeadingBits> leading_;
};

// Whether |got - value| <= atol + rtol |value|, exactly. Requires finite got, atol, rtol >= 0.
// With rtol >= 1 the lower bound (1 - rtol)|value| is negative or zero and the comparison turns;
// both cases are decided by integers.
[[nodiscard]] bool within_tolerance(Code got, const RootOfRatio& value, const BigDyadic& atol,
                                    const BigDyadic& rtol);

// |got - value| to 256 bits, from the exact difference of squares: |got^2 - value^2| / (|got| +
// |value|), so that nothing cancels. Relative error at most 8 x 2^-256, and what bounds leave.
// Requires a finite got.
[[nodiscard]] Wide absolute_error(Code got, const RootOfRatio& value);

}  // namespace normcert
