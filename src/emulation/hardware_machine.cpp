#include "emulation/hardware_machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "emulation/arithmetic.hpp"
#include "emulation/exact_machine.hpp"
#include "emulation/hardware_rounding.hpp"
#include "emulation/rsqrt_table.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

using Row = HardwareMachine::Row;
using Scalar = HardwareMachine::Scalar;

template <typename Operation>
Row map(Row row, const FloatFormat& format, Operation operation) {
  with_rounder(format, [&](auto rounded) {
    double* values = row.values.data();
    const std::size_t count = row.size();
    for (std::size_t i = 0; i < count; ++i) values[i] = rounded(operation(i, values[i]));
  });
  row.format = &format;
  return row;
}

Scalar rounded_scalar(double value, const FloatFormat& format) {
  with_rounder(format, [&value](auto rounded) { value = rounded(value); });
  return {value, &format};
}

bool holds(const FloatFormat& wide, const FloatFormat& narrow) {
  return wide.precision >= narrow.precision && wide.emax >= narrow.emax &&
         wide.quantum_exponent() <= narrow.quantum_exponent();
}

// a w + c in one rounding.
double fused_value(double a, double w, double c, const FloatFormat& format) {
  return format == kFp64 ? std::fma(a, w, c) : fma_to_odd(a, w, c);
}

}  // namespace

Scalar HardwareMachine::constant(double value, const FloatFormat& format) const {
  return rounded_scalar(value, format);
}

Scalar HardwareMachine::convert(Scalar a, const FloatFormat& format) const {
  return rounded_scalar(a.value, format);
}

Scalar HardwareMachine::add(Scalar a, Scalar b, const FloatFormat& format) const {
  return rounded_scalar(a.value + b.value, format);
}

Scalar HardwareMachine::subtract(Scalar a, Scalar b, const FloatFormat& format) const {
  return rounded_scalar(a.value - b.value, format);
}

Scalar HardwareMachine::multiply(Scalar a, Scalar b, const FloatFormat& format) const {
  return rounded_scalar(a.value * b.value, format);
}

Scalar HardwareMachine::divide(Scalar a, Scalar b, const FloatFormat& format) const {
  return rounded_scalar(a.value / b.value, format);
}

Scalar HardwareMachine::root(Scalar a, const FloatFormat& format) const {
  return rounded_scalar(std::sqrt(a.value), format);
}

// Two roundings in binary64 leave an error below 2^-51.9 of the value; only where a midpoint of
// the format lies nearer than that must exact arithmetic decide.
Scalar HardwareMachine::reciprocal_root(Scalar a, const FloatFormat& format) const {
  const double value = 1 / std::sqrt(a.value);
  const double margin = value * 0x1p-50;
  const double low = rounded_scalar(value - margin, format).value;
  const double high = rounded_scalar(value + margin, format).value;
  if (low == high || !std::isfinite(value)) return {high, &format};
  return {to_binary64(rounded_reciprocal_root(code_of(a.value), format)), &format};
}

Scalar HardwareMachine::measured_reciprocal_root(Scalar a, RsqrtTable table) const {
  return {measured_from_nearest(a.value, reciprocal_root(a, kFp32).value, table), &kFp32};
}

double HardwareMachine::measured_from_nearest(double a, double nearest, RsqrtTable table) {
  const auto argument = static_cast<float>(a);
  if (!(argument > 0) || !std::isfinite(argument)) return nearest;
  const int deviation = rsqrt_deviation(table, std::bit_cast<std::uint32_t>(argument));
  const auto code = std::bit_cast<std::int32_t>(static_cast<float>(nearest)) + deviation;
  return double{std::bit_cast<float>(code)};
}

Scalar HardwareMachine::exponential(Scalar a, const FloatFormat& format) const {
  if (format == kFp32) {
    return {double{rounded_exponential(static_cast<float>(a.value))}, &format};
  }
  return {to_binary64(rounded_exponential(code_of(a.value), format)), &format};
}

Scalar HardwareMachine::moved(Scalar a, int codes) {
  const Code code = normcert::convert(code_of(a.value), *a.format);
  return {to_binary64(ExactMachine::moved(code, codes)), a.format};
}

Scalar HardwareMachine::fused(Scalar a, Scalar b, Scalar c, const FloatFormat& format) const {
  return rounded_scalar(fused_value(a.value, b.value, c.value, format), format);
}

Scalar HardwareMachine::greatest(Scalar a, Scalar b, const FloatFormat& format) const {
  if (std::isnan(a.value) || std::isnan(b.value)) {
    return {std::numeric_limits<double>::quiet_NaN(), &format};
  }
  if (a.value == b.value) return {std::signbit(a.value) ? b.value : a.value, &format};
  return {std::max(a.value, b.value), &format};
}

Row HardwareMachine::part(const Row& row, std::size_t first, std::size_t count) const {
  const auto begin = row.values.begin() + static_cast<std::ptrdiff_t>(first);
  return {row.format, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

Row HardwareMachine::convert(Row a, const FloatFormat& format) const {
  if (holds(format, *a.format)) {
    a.format = &format;
    return a;
  }
  return map(std::move(a), format, [](std::size_t, double x) { return x; });
}

Row HardwareMachine::add(Row a, const Row& b, const FloatFormat& format) const {
  return map(std::move(a), format, [&b](std::size_t i, double x) { return x + b.values[i]; });
}

Row HardwareMachine::add(Row a, Scalar b, const FloatFormat& format) const {
  return map(std::move(a), format, [b](std::size_t, double x) { return x + b.value; });
}

Row HardwareMachine::subtract(Row a, Scalar b, const FloatFormat& format) const {
  return map(std::move(a), format, [b](std::size_t, double x) { return x - b.value; });
}

Row HardwareMachine::multiply(Row a, const Row& b, const FloatFormat& format) const {
  return map(std::move(a), format, [&b](std::size_t i, double x) { return x * b.values[i]; });
}

Row HardwareMachine::multiply(Row a, Scalar b, const FloatFormat& format) const {
  return map(std::move(a), format, [b](std::size_t, double x) { return x * b.value; });
}

Row HardwareMachine::square(Row a, const FloatFormat& format) const {
  return map(std::move(a), format, [](std::size_t, double x) { return x * x; });
}

Row HardwareMachine::divide(Row a, Scalar b, const FloatFormat& format) const {
  return map(std::move(a), format, [b](std::size_t, double x) { return x / b.value; });
}

Row HardwareMachine::multiply_and_add_itself(Row a, const Row& w, const FloatFormat& format) const {
  return map(std::move(a), format,
             [&](std::size_t i, double x) { return fused_value(x, w.values[i], x, format); });
}

// a w + a is the same number where all are finite, but for the sign of a zero; what binary64 makes
// of a (1 + w) has the right sign, and the right kind where something is infinite.
Row HardwareMachine::multiply_with_sum(Row a, const Row& w, Scalar offset,
                                       const FloatFormat& format) const {
  return map(std::move(a), format, [&](std::size_t i, double x) {
    const double in_two_steps = x * (w.values[i] + offset.value);
    if (!std::isfinite(x) || !std::isfinite(w.values[i])) return in_two_steps;
    const double result = fused_value(x, w.values[i], x, format);
    return result == 0 ? std::copysign(result, in_two_steps) : result;
  });
}

Row HardwareMachine::clamp(Row a, double limit) const {
  const FloatFormat& format = *a.format;
  const double high = constant(limit, format).value;
  return map(std::move(a), format, [high](std::size_t, double x) {
    return std::fabs(x) > high ? std::copysign(high, x) : x;
  });
}

Scalar HardwareMachine::greatest_magnitude(const Row& a) const {
  double greatest = 0;
  bool nan = false;
  for (const double x : a.values) {
    nan |= std::isnan(x);
    greatest = std::max(greatest, std::fabs(x));
  }
  return {nan ? std::numeric_limits<double>::quiet_NaN() : greatest, a.format};
}

}  // namespace normcert
