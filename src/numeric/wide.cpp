#include "numeric/wide.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <utility>

#include "numeric/big_dyadic_parts.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

namespace mp = boost::multiprecision;
// 64-bit exponents: nothing that comes from binary64 tensors can over- or underflow.
using Float = mp::number<mp::cpp_bin_float<Wide::kPrecision, mp::digit_base_2, void, std::int64_t>,
                         mp::et_off>;

}  // namespace

struct Wide::Number {
  Float value = 0;
};

namespace {

// `integer` x 2^exponent with the integer rounded to nearest even where it has more than 256 bits.
// Boost's own conversion of a long integer adds it word by word and so rounds more than once.
BigInteger rounded_to_precision(const BigInteger& integer, std::int64_t& exponent) {
  const BigInteger magnitude = abs(integer);
  const std::size_t bits = magnitude.is_zero() ? 0 : msb(magnitude) + 1;
  if (bits <= Wide::kPrecision) return integer;
  const std::size_t excess = bits - Wide::kPrecision;
  BigInteger kept = magnitude >> excess;
  const bool is_tie = lsb(magnitude) == excess - 1;
  if (bit_test(magnitude, static_cast<unsigned>(excess - 1)) && (!is_tie || bit_test(kept, 0))) {
    ++kept;
  }
  exponent += static_cast<std::int64_t>(excess);
  return integer.sign() < 0 ? BigInteger(-kept) : kept;
}

BigDyadic exact_of(const Float& value) {
  if (value == 0) return {};
  std::int64_t exponent = 0;
  const Float fraction = mp::frexp(value, &exponent);
  BigDyadic result;
  result.parts().integer = static_cast<BigInteger>(mp::ldexp(fraction, Wide::kPrecision));
  result.parts().exponent = exponent - Wide::kPrecision;
  return result;
}

}  // namespace

Wide::Wide() = default;
Wide::Wide(std::unique_ptr<Number> number) : number_(std::move(number)) {}
Wide::Wide(const BigDyadic& value) : number_(std::make_unique<Number>()) {
  std::int64_t exponent = value.parts().exponent;
  const BigInteger integer = rounded_to_precision(value.parts().integer, exponent);
  number_->value = Float(integer);
  if (value.sign() != 0) number_->value = mp::ldexp(number_->value, exponent);
}
Wide::Wide(double value) : Wide(BigDyadic(value)) {}
Wide::Wide(const Wide& other)
    : number_(other.number_ ? std::make_unique<Number>(*other.number_) : nullptr) {}
Wide::Wide(Wide&& other) noexcept = default;
Wide& Wide::operator=(const Wide& other) {
  if (this != &other) *this = Wide(other);
  return *this;
}
Wide& Wide::operator=(Wide&& other) noexcept = default;
Wide::~Wide() = default;

const Wide::Number& Wide::number() const {
  static const Number kZero;
  return number_ ? *number_ : kZero;
}

int Wide::sign() const { return number().value.sign(); }
Wide Wide::magnitude() const {
  return Wide(std::make_unique<Number>(Number{mp::abs(number().value)}));
}

Wide operator+(const Wide& a, const Wide& b) {
  return Wide(std::make_unique<Wide::Number>(Wide::Number{a.number().value + b.number().value}));
}
Wide operator-(const Wide& a, const Wide& b) {
  return Wide(std::make_unique<Wide::Number>(Wide::Number{a.number().value - b.number().value}));
}
Wide operator*(const Wide& a, const Wide& b) {
  return Wide(std::make_unique<Wide::Number>(Wide::Number{a.number().value * b.number().value}));
}
Wide operator/(const Wide& a, const Wide& b) {
  return Wide(std::make_unique<Wide::Number>(Wide::Number{a.number().value / b.number().value}));
}
Wide sqrt(const Wide& a) {
  return Wide(std::make_unique<Wide::Number>(Wide::Number{mp::sqrt(a.number().value)}));
}
int compare(const Wide& a, const Wide& b) { return a.number().value.compare(b.number().value); }

Wide Wide::times_power_of_two(std::int64_t exponent) const {
  return Wide(std::make_unique<Number>(Number{mp::ldexp(number().value, exponent)}));
}

BigDyadic Wide::exact() const { return exact_of(number().value); }

double Wide::to_binary64() const {
  return normcert::to_binary64(round(sign() < 0, leading_bits(exact()), kFp64));
}

}  // namespace normcert
