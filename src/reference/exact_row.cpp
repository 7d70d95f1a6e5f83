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

BigDyadic exact_gain(const Case& value, std::size_t index) {
  if (!value.weight) return BigDyadic::integer(1);
  return BigDyadic(value.weight_offset.binary64) + BigDyadic(decode(value.weight->at(0, index)));
}

ExactRow::ExactRow(const Case& value, std::size_t row)
    : case_(&value), row_(row), width_(value.x.width) {
  if (is_gated(GateMode::kBefore)) {
    gated_ = std::make_shared<const GatedSquares>(value, row);
    return;
  }
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

EnclosedActivation ExactRow::activation(std::size_t index) const {
  return gated_ ? gated_->activation(gate(index))
                : enclosed_activation(case_->gate->activation, gate(index));
}

BigDyadic ExactRow::normalised(std::size_t index) const {
  return gated_ ? input(index) * activation(index).value : input(index);
}

BigDyadic ExactRow::factor(std::size_t index) const {
  return is_gated(GateMode::kAfter) ? gain(index) * activation(index).value : gain(index);
}

// The sign of a result is that of the product of the operands' signs, as in IEEE 754, also of a
// zero; an exact sum that vanishes (x + residual, offset + weight) counts as +0.
bool ExactRow::is_negative(std::size_t index, const BigDyadic& z, const BigDyadic& g) const {
  const bool z_negative =
      z.sign() < 0 || (z.sign() == 0 && !case_->residual && case_->x.at(row_, index).negative());
  const bool g_negative =
      g.sign() < 0 || (g.sign() == 0 && case_->weight && case_->weight_offset.binary64 == 0 &&
                       case_->weight->at(0, index).negative());
  const bool activation_negative =
      case_->gate && case_->gate->activation == Activation::kSilu && gate(index).negative();
  return (z_negative != g_negative) != activation_negative;
}

RootOfRatio ExactRow::element(std::size_t index) const {
  static const auto kOne = std::make_shared<const BigDyadic>(BigDyadic::integer(1));
  const BigDyadic z = input(index);
  const BigDyadic g = gain(index);
  const BigDyadic product = z * g;
  const bool negative = is_negative(index, z, g);
  if (product.sign() == 0) return {negative, BigDyadic(), gated_ ? kOne : denominator_};
  BigDyadic numerator = BigDyadic::integer(width_) * (product * product);
  if (!case_->gate) return {negative, std::move(numerator), denominator_};
  if (gate(index).magnitude() == 0 && case_->gate->activation == Activation::kSilu) {
    return {negative, BigDyadic(), kOne};
  }
  if (gated_) return gated_->scaled(negative, numerator, gate(index));
  const SquareBounds square(activation(index));
  if (square.is_exact()) return {negative, numerator * square.middle, denominator_};
  return {negative,
          {numerator * square.middle, denominator_},
          {{numerator * square.low, denominator_}, {numerator * square.high, denominator_}}};
}

RootOfRatio ExactRow::attenuation() const {
  if (gated_) return gated_->attenuation();
  return {false, sum_, denominator_};
}

RootOfRatio ExactRow::inverse_rms() const {
  if (gated_) return gated_->inverse_rms();
  return {false, BigDyadic::integer(width_), denominator_};
}

RootOfRatio ExactRow::output_rms() const {
  std::vector<BigDyadic> squares;
  for (std::size_t i = 0; i < width_; ++i) {
    const BigDyadic product = input(i) * gain(i);
    squares.push_back(product * product);
  }
  if (gated_) return gated_->output_rms(squares);
  SquareBounds total;
  for (std::size_t i = 0; i < width_; ++i) {
    if (is_gated(GateMode::kAfter)) {
      const SquareBounds square(activation(i));
      total.low += square.low * squares[i];
      total.middle += square.middle * squares[i];
      total.high += square.high * squares[i];
    } else {
      total.middle += squares[i];
    }
  }
  if (!case_->gate || total.is_exact()) return {false, std::move(total.middle), denominator_};
  return {false,
          {std::move(total.middle), denominator_},
          {{std::move(total.low), denominator_}, {std::move(total.high), denominator_}}};
}

Wide ExactRow::mean_square() const {
  return Wide(gated_ ? gated_->sum().middle : sum_) / Wide(BigDyadic::integer(width_));
}

int ExactRow::compare_mean_square(const ExactRow& other) const {
  if (gated_ && other.gated_) return gated_->compare_mean(*other.gated_);
  return compare(sum_ * BigDyadic::integer(other.width_), other.sum_ * BigDyadic::integer(width_));
}

bool ExactRow::all_zero() const {
  return gated_ ? gated_->sum().high.sign() == 0 : sum_.sign() == 0;
}

}  // namespace normcert
