#include "judge/row_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normcert {
namespace {

// Beyond this, a scaled value is zero beside the greatest of the row.
constexpr std::int64_t kNegligible = -1000;

double scaled(double value, std::int64_t exponent) {
  return exponent < kNegligible ? 0 : std::ldexp(value, static_cast<int>(exponent));
}

}  // namespace

void RowFactor::add(Code got, const RootOfRatio& exact) {
  if (!is_finite(got)) {
    defined_ = false;
    return;
  }
  const LeadingBits& leading = exact.leading();
  // One unit of `exponent` is the exact value's leading digit (or the output's, for an exact 0).
  const std::int64_t exponent =
      exact.is_zero() ? leading_bits(decode(got)).exponent + 63 : leading.exponent + 63;
  const double magnitude = static_cast<double>(leading.top) * 0x1p-63;
  const double value = exact.negative() ? -magnitude : magnitude;
  double error = 0;
  if (got.format->precision > kFp32.precision) {
    const Wide difference = Wide(BigDyadic(decode(got))) - exact.wide();
    error = difference.times_power_of_two(-exponent).to_binary64();
  } else {
    const Dyadic dyadic = decode(got);
    const double output = scaled(static_cast<double>(static_cast<std::uint64_t>(dyadic.magnitude)),
                                 dyadic.exponent - exponent);
    error = (dyadic.negative ? -output : output) - value;
  }
  elements_.push_back({value, error, exponent});
}

void RowFactor::add(Code got, const ScaledDoubleDouble& exact) {
  if (!is_finite(got)) {
    defined_ = false;
    return;
  }
  // scaled() takes an exponent alone for a value's size.
  const ScaledDoubleDouble y = normalized(exact);
  const Dyadic dyadic = decode(got);
  const std::int64_t exponent =
      y.high == 0 ? leading_bits(dyadic).exponent + 63 : std::int64_t{y.exponent};
  const double output = scaled(static_cast<double>(static_cast<std::uint64_t>(dyadic.magnitude)),
                               dyadic.exponent - exponent);
  const double error = ((dyadic.negative ? -output : output) - y.high) - y.low;
  elements_.push_back({y.high, error, exponent});
}

void RowFactor::finish(std::size_t row, Comparison& into) const {
  if (!defined_) return;
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
  for (const Element& element : elements_) {
    if (element.exact == 0) continue;
    greatest = std::max(greatest, element.exponent + std::ilogb(element.exact));
  }
  if (greatest == std::numeric_limits<std::int64_t>::min()) return;  // all y are 0
  double product = 0;
  double square = 0;
  for (const Element& element : elements_) {
    const double y = scaled(element.exact, element.exponent - greatest);
    product += scaled(element.error, element.exponent - greatest) * y;
    square += y * y;
  }
  const double factor = product / square;
  double rest = 0;
  for (const Element& element : elements_) {
    const double y = scaled(element.exact, element.exponent - greatest);
    const double residue = scaled(element.error, element.exponent - greatest) - factor * y;
    rest += residue * residue;
  }
  // Outputs further from the exact results than binary64 spans: no figure says anything.
  if (!std::isfinite(factor) || !std::isfinite(rest)) return;
  offer_shares(factor, rest / square, row, into);
}

void offer_shares(double factor, double rest_square, std::size_t row, Comparison& into) {
  const bool leads = factor * factor >= kLeastFactor * rest_square;
  into.coherent.offer(leads ? std::fabs(factor) : 0, row);
  const bool is_known = rest_square >= kLeastRest * factor * factor;
  into.incoherent.offer(is_known ? std::sqrt(rest_square) : 0, row);
}

}  // namespace normcert
