#include "emulation/scalar_batch.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulation/hardware_machine.hpp"
#include "emulation/hardware_rounding.hpp"
#include "emulation/rsqrt_table.hpp"
#include "emulation/square_roots.hpp"

namespace normcert {
namespace {

using Scalar = ScalarBatch::Scalar;
using Values = std::array<double, kRowsTogether>;

// `operation` takes the place of a row.
template <typename Operation>
Scalar for_each_row(const FloatFormat& format, Operation operation) {
  Scalar result{{}, &format};
  with_rounder(format, [&](auto rounded) {
    for (std::size_t i = 0; i < kRowsTogether; ++i) result.values[i] = rounded(operation(i));
  });
  return result;
}

HardwareMachine::Scalar one_of(const Scalar& batch, std::size_t row) {
  return {batch.values[row], batch.format};
}

// Of binary64.
Values roots_of(const Scalar& a) {
  Values roots;
  square_roots(a.values.data(), roots.size(), roots.data());
  return roots;
}

}  // namespace

Scalar ScalarBatch::constant(double value, const FloatFormat& format) const {
  Scalar result{{}, &format};
  result.values.fill(HardwareMachine(FlushMode::kNone).constant(value, format).value);
  return result;
}

Scalar ScalarBatch::convert(const Scalar& a, const FloatFormat& format) const {
  if (*a.format == format) return a;
  return for_each_row(format, [&a](std::size_t i) { return a.values[i]; });
}

Scalar ScalarBatch::add(const Scalar& a, const Scalar& b, const FloatFormat& format) const {
  return for_each_row(format, [&](std::size_t i) { return a.values[i] + b.values[i]; });
}

Scalar ScalarBatch::subtract(const Scalar& a, const Scalar& b, const FloatFormat& format) const {
  return for_each_row(format, [&](std::size_t i) { return a.values[i] - b.values[i]; });
}

Scalar ScalarBatch::multiply(const Scalar& a, const Scalar& b, const FloatFormat& format) const {
  return for_each_row(format, [&](std::size_t i) { return a.values[i] * b.values[i]; });
}

Scalar ScalarBatch::divide(const Scalar& a, const Scalar& b, const FloatFormat& format) const {
  return for_each_row(format, [&](std::size_t i) { return a.values[i] / b.values[i]; });
}

Scalar ScalarBatch::root(const Scalar& a, const FloatFormat& format) const {
  const Values roots = roots_of(a);
  return for_each_row(format, [&roots](std::size_t i) { return roots[i]; });
}

// As HardwareMachine's, which decides where the shortcut does not.
Scalar ScalarBatch::reciprocal_root(const Scalar& a, const FloatFormat& format) const {
  Scalar result{{}, &format};
  const Values roots = roots_of(a);
  Values low;
  with_rounder(format, [&](auto rounded) {
    for (std::size_t i = 0; i < kRowsTogether; ++i) {
      const double value = 1 / roots[i];
      const double margin = value * 0x1p-50;
      low[i] = rounded(value - margin);
      result.values[i] = rounded(value + margin);
    }
  });
  const HardwareMachine machine(FlushMode::kNone);
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    if (low[i] == result.values[i]) continue;
    result.values[i] = machine.reciprocal_root(one_of(a, i), format).value;
  }
  return result;
}

Scalar ScalarBatch::measured_reciprocal_root(const Scalar& a, RsqrtTable table) const {
  for (const double value : a.values) {
    fetch_rsqrt_deviation(table, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  Scalar result = reciprocal_root(a, kFp32);
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    result.values[i] = HardwareMachine::measured_from_nearest(a.values[i], result.values[i], table);
  }
  return result;
}

Scalar ScalarBatch::fused(const Scalar& a, const Scalar& b, const Scalar& c,
                          const FloatFormat& format) const {
  const bool exact = format == kFp64;
  return for_each_row(format, [&](std::size_t i) {
    return exact ? std::fma(a.values[i], b.values[i], c.values[i])
                 : fma_to_odd(a.values[i], b.values[i], c.values[i]);
  });
}

Scalar ScalarBatch::greatest(const Scalar& a, const Scalar& b, const FloatFormat& format) const {
  const HardwareMachine machine(FlushMode::kNone);
  Scalar result{{}, &format};
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    result.values[i] = machine.greatest(one_of(a, i), one_of(b, i), format).value;
  }
  return result;
}

}  // namespace normcert
