#include "reference/attenuation.hpp"

#include "numeric/rounding.hpp"
#include "numeric/wide.hpp"

namespace normcert {
namespace {

constexpr int kDigits = 40;

Wide wide(const ExactRatio& value) { return Wide(value.numerator) / Wide(value.denominator); }

ExactRatio operator+(const ExactRatio& a, const ExactRatio& b) {
  return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
}

}  // namespace

ExactRatio magnitude_of(const ExactNumber& number) {
  return {number.numerator, number.denominator};
}

ExactRatio operator*(const ExactRatio& a, const ExactRatio& b) {
  return {a.numerator * b.numerator, a.denominator * b.denominator};
}

ExactRatio operator/(const ExactRatio& a, const ExactRatio& b) {
  return {a.numerator * b.denominator, a.denominator * b.numerator};
}

double to_binary64(const ExactRatio& value) {
  const LeadingBits bits = leading_bits_of_ratio(value.numerator, value.denominator);
  return to_binary64(round(false, bits, kFp64));
}

RoundedReal rounded(const ExactRatio& value) {
  return {to_binary64(value), wide(value).scientific(kDigits)};
}

RoundedReal rounded_root(const ExactRatio& square) {
  const LeadingBits bits = leading_bits_of_root(square.numerator, square.denominator);
  return {to_binary64(round(false, bits, kFp64)), sqrt(wide(square)).scientific(kDigits)};
}

AttenuationRow attenuation_of(const ExactRatio& q, const ExactRatio& epsilon) {
  const ExactRatio sum = q + epsilon;
  const ExactRatio square = q / sum;
  // 1 - A = (1 - A^2) / (1 + A), and 1 - A^2 = epsilon / (q + epsilon).
  const Wide loss = wide(epsilon / sum) / (Wide(1.0) + sqrt(wide(square)));
  return {.q = to_binary64(q),
          .q_over_epsilon = to_binary64(q / epsilon),
          .attenuation = rounded_root(square),
          .loss = loss.to_binary64()};
}

std::optional<RoundedReal> output_ratio(const ExactRatio& q, const ExactRatio& epsilon,
                                        const ExactRatio& other) {
  if (q.numerator.sign() == 0) return std::nullopt;
  return rounded_root((q + epsilon) / (q + other));
}

ExactRatio least_q_over_epsilon(const ExactRatio& loss) {
  const BigDyadic kept = loss.denominator - loss.numerator;  // (1 - d) times the denominator
  const BigDyadic kept_square = kept * kept;
  return {kept_square, loss.denominator * loss.denominator - kept_square};
}

}  // namespace normcert
