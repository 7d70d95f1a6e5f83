#include "reference/exact_row.hpp"

#include <utility>
#include <vector>

namespace normcert {
namespace {

// A sum of squares of numbers of one format, exactly. Squares of one exponent are added as integers
// of 128 bits, so that there is one big number for each binade and none for each element.
class SquareSum {
 public:
  explicit SquareSum(const FloatFormat& format) : least_(2 * format.quantum_exponent()) {}

  void add(Code code) {
    const Dyadic number = decode(code);
    const Dyadic square = multiply(number, number);
    const auto index = static_cast<std::size_t>(square.exponent - least_) / 2;
    if (index >= sums_.size()) sums_.resize(index + 1);
    Uint128& sum = sums_[index];
    if (sum > ~Uint128{0} - square.magnitude) {
      carried_ += BigDyadic(Dyadic{false, sum, square.exponent});
      sum = 0;
    }
    sum += square.magnitude;
  }
  [[nodiscard]] BigDyadic total() const {
    BigDyadic total = carried_;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i] != 0) total += BigDyadic(Dyadic{false, sums_[i], exponent(i)});
    }
    return total;
  }

 private:
  [[nodiscard]] int exponent(std::size_t index) const {
    return least_ + 2 * static_cast<int>(index);
  }

  int least_;  // exponent of the first sum; two more for each
  std::vector<Uint128> sums_;
  BigDyadic carried_;
};

}  // namespace

RootOfRatio::RootOfRatio(bool negative, BigDyadic numerator,
                         std::shared_ptr<const BigDyadic> denominator)
    : negative_(negative), numerator_(std::move(numerator)), denominator_(std::move(denominator)) {}

const LeadingBits& RootOfRatio::leading() const {
  if (!leading_) leading_ = leading_bits_of_root(numerator_, *denominator_);
  return *leading_;
}

Code RootOfRatio::rounded(const FloatFormat& format, RoundingRule rule) const {
  return round(negative_, leading(), format, rule);
}

int RootOfRatio::compare_to(const BigDyadic& number) const {
  return compare_to_ratio(number, BigDyadic::integer(1));
}

int RootOfRatio::compare_to_ratio(const BigDyadic& numerator, const BigDyadic& denominator) const {
  const int own_sign = is_zero() ? 0 : (negative_ ? -1 : 1);
  if (own_sign != numerator.sign()) return own_sign < numerator.sign() ? -1 : 1;
  if (own_sign == 0) return 0;
  // Same sign: |value| against |a/b| is N b^2 against a^2 D.
  const int of_magnitudes =
      compare(numerator_ * (denominator * denominator), (numerator * numerator) * *denominator_);
  return own_sign * of_magnitudes;
}

bool RootOfRatio::matches_printed(const ExactNumber& printed) const {
  BigDyadic center = printed.numerator;
  if (printed.negative) center = BigDyadic() - center;
  return compare_to_ratio(center - printed.half_unit, printed.denominator) >= 0 &&
         compare_to_ratio(center + printed.half_unit, printed.denominator) <= 0;
}

Wide RootOfRatio::wide() const {
  const Wide root = sqrt(Wide(numerator_) / Wide(*denominator_));
  return negative_ ? Wide() - root : root;
}

Wide RootOfRatio::difference_of_squares(const BigDyadic& number) const {
  return Wide(number * number * *denominator_ - numerator_) / Wide(*denominator_);
}

BigDyadic exact_gain(const Case& value, std::size_t index) {
  if (!value.weight) return BigDyadic::integer(1);
  return BigDyadic(value.weight_offset.binary64) + BigDyadic(decode(value.weight->at(0, index)));
}

ExactRow::ExactRow(const Case& value, std::size_t row)
    : case_(&value), row_(row), width_(value.x.width) {
  if (value.residual) {
    for (std::size_t i = 0; i < width_; ++i) {
      const BigDyadic z = input(i);
      sum_ += z * z;
    }
  } else {
    SquareSum squares(*value.x.format);
    for (std::size_t i = 0; i < width_; ++i) squares.add(value.x.at(row, i));
    sum_ = squares.total();
  }
  denominator_ = std::make_shared<const BigDyadic>(sum_ + BigDyadic::integer(width_) *
                                                              BigDyadic(value.epsilon.binary64));
}

BigDyadic ExactRow::input(std::size_t index) const {
  BigDyadic z(decode(case_->x.at(row_, index)));
  if (case_->residual) z += BigDyadic(decode(case_->residual->at(row_, index)));
  return z;
}

BigDyadic ExactRow::gain(std::size_t index) const { return exact_gain(*case_, index); }

RootOfRatio ExactRow::element(std::size_t index) const {
  const BigDyadic z = input(index);
  const BigDyadic g = gain(index);
  const BigDyadic product = z * g;
  // The sign of a zero result is that of the product of the operands' signs, as in IEEE 754; an
  // exact sum that vanishes (x + residual, offset + weight) counts as +0.
  bool negative = product.sign() < 0;
  if (product.sign() == 0) {
    const bool z_negative =
        z.sign() < 0 || (z.sign() == 0 && !case_->residual && case_->x.at(row_, index).negative());
    const bool g_negative =
        g.sign() < 0 || (g.sign() == 0 && case_->weight && case_->weight_offset.binary64 == 0 &&
                         case_->weight->at(0, index).negative());
    negative = z_negative != g_negative;
  }
  return {negative, BigDyadic::integer(width_) * (product * product), denominator_};
}

RootOfRatio ExactRow::attenuation() const { return {false, sum_, denominator_}; }

RootOfRatio ExactRow::inverse_rms() const {
  return {false, BigDyadic::integer(width_), denominator_};
}

RootOfRatio ExactRow::output_rms() const {
  BigDyadic squares;
  for (std::size_t i = 0; i < width_; ++i) {
    const BigDyadic product = input(i) * gain(i);
    squares += product * product;
  }
  return {false, std::move(squares), denominator_};
}

Wide ExactRow::mean_square() const { return Wide(sum_) / Wide(BigDyadic::integer(width_)); }

int ExactRow::compare_mean_square(const ExactRow& other) const {
  return compare(sum_ * BigDyadic::integer(other.width_), other.sum_ * BigDyadic::integer(width_));
}

bool within_tolerance(Code got, const RootOfRatio& value, const BigDyadic& atol,
                      const BigDyadic& rtol) {
  // Mirror so that value >= 0; then  got - atol <= (1 + rtol) value  and
  // (1 - rtol) value <= got + atol.
  BigDyadic a(decode(got));
  if (value.negative()) a = BigDyadic() - a;
  const BigDyadic one = BigDyadic::integer(1);
  // Sign of value_magnitude x factor - bound, for a factor > 0: value against bound / factor.
  const auto compare_scaled = [&](const BigDyadic& factor, const BigDyadic& bound) {
    const BigDyadic signed_bound = value.negative() ? BigDyadic() - bound : bound;
    const int order = value.compare_to_ratio(signed_bound, factor);
    return value.negative() ? -order : order;
  };
  if (compare_scaled(one + rtol, a - atol) < 0) return false;
  const BigDyadic lower_factor = one - rtol;
  const BigDyadic upper = a + atol;
  if (lower_factor.sign() > 0) return compare_scaled(lower_factor, upper) <= 0;
  if (lower_factor.sign() == 0) return upper.sign() >= 0;
  // -(rtol - 1) value <= upper  is  value >= -upper / (rtol - 1).
  return compare_scaled(rtol - one, BigDyadic() - upper) >= 0;
}

Wide absolute_error(Code got, const RootOfRatio& value) {
  const BigDyadic a(decode(got));
  const Wide magnitude = value.wide().magnitude();
  const bool opposite = a.sign() != 0 && !value.is_zero() && (a.sign() < 0) != value.negative();
  if (opposite || a.sign() == 0 || value.is_zero()) return Wide(a.magnitude()) + magnitude;
  return value.difference_of_squares(a).magnitude() / (Wide(a.magnitude()) + magnitude);
}

}  // namespace normcert
