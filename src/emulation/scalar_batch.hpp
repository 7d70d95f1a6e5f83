// The scalars of many rows side by side: what ScalarStep::scalar_of_sum needs of a machine, each
// operation as HardwareMachine does it, bit for bit. Between the sum and the scalar stand a dozen
// operations that wait for one another; with one row at a time short rows would spend most of their
// time there.
#pragma once

#include <array>
#include <cstddef>

#include "emulation/float_sums.hpp"
#include "numeric/float_format.hpp"
#include "problem/recipe.hpp"

namespace normcert {

class ScalarBatch {
 public:
  struct Scalar {
    std::array<double, kRowsTogether> values;
    const FloatFormat* format;
  };
  struct Row {};  // it has none

  [[nodiscard]] Scalar constant(double value, const FloatFormat& format) const;
  [[nodiscard]] Scalar convert(const Scalar& a, const FloatFormat& format) const;
  [[nodiscard]] Scalar add(const Scalar& a, const Scalar& b, const FloatFormat& format) const;
  [[nodiscard]] Scalar subtract(const Scalar& a, const Scalar& b, const FloatFormat& format) const;
  [[nodiscard]] Scalar multiply(const Scalar& a, const Scalar& b, const FloatFormat& format) const;
  [[nodiscard]] Scalar divide(const Scalar& a, const Scalar& b, const FloatFormat& format) const;
  [[nodiscard]] Scalar root(const Scalar& a, const FloatFormat& format) const;
  [[nodiscard]] Scalar reciprocal_root(const Scalar& a, const FloatFormat& format) const;
  [[nodiscard]] Scalar measured_reciprocal_root(const Scalar& a, RsqrtTable table) const;
  [[nodiscard]] Scalar fused(const Scalar& a, const Scalar& b, const Scalar& c,
                             const FloatFormat& format) const;
  [[nodiscard]] Scalar greatest(const Scalar& a, const Scalar& b, const FloatFormat& format) const;
};

}  // namespace normcert
