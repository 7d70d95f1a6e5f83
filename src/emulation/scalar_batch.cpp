#include "emulation/scalar_batch.hpp"

#include <cmath>

#include "emulation/hardware_machine.hpp"
#include "emulation/hardware_rounding.hpp"

namespace normcert {
namespace {

using Scalar = ScalarBatch::Scalar;

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

}  // namespace

Scalar ScalarBatch::constant(double value, const FloatFormat& format) const {
  Scalar result{{}, &format};
  result.values.fill(HardwareMachine(FlushMode::kNone).constant(value, format).value);
  return result;
}

Scalar ScalarBatch::convert(const Scalar& a, const FloatFormat& format) const {
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
  return for_each_row(format, [&a](std::size_t i) { return std::sqrt(a.values[i]); });
}

Scalar ScalarBatch::reciprocal_root(const Scalar& a, const FloatFormat& format) const {
  const HardwareMachine machine(FlushMode::kNone);
  Scalar result{{}, &format};
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    result.values[i] = machine.reciprocal_root(one_of(a, i), format).value;
  }
  return result;
}

Scalar ScalarBatch::measured_reciprocal_root(const Scalar& a, RsqrtTable table) const {
  const HardwareMachine machine(FlushMode::kNone);
  Scalar result{{}, &kFp32};
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    result.values[i] = machine.measured_reciprocal_root(one_of(a, i), table).value;
  }
  return result;
}

Scalar ScalarBatch::fused(const Scalar& a, const Scalar& b, const Scalar& c,
                          const FloatFormat& format) const {
  const HardwareMachine machine(FlushMode::kNone);
  Scalar result{{}, &format};
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    result.values[i] = machine.fused(one_of(a, i), one_of(b, i), one_of(c, i), format).value;
  }
  return result;
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
