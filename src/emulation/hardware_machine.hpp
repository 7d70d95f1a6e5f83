// The fast machine: the operations of ExactMachine, bit for bit, with the processor's binary32 and
// binary64 (emulation/hardware_rounding.hpp says why that is the same). Rows are held as binary64
// numbers, whatever their format. Requires arithmetic_is_default() and a recipe for which
// hardware_emulates() (emulation/emulate.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "emulation/row_view.hpp"
#include "numeric/float_format.hpp"
#include "problem/recipe.hpp"

namespace normcert {

class HardwareMachine {
 public:
  struct Scalar {
    double value;
    const FloatFormat* format;
  };
  struct Row {
    const FloatFormat* format;
    std::vector<double> values;
    [[nodiscard]] std::size_t size() const { return values.size(); }
  };

  // Nothing is flushed: hardware_emulates() says no to the other modes.
  explicit HardwareMachine(FlushMode) {}

  [[nodiscard]] Scalar constant(double value, const FloatFormat& format) const;
  [[nodiscard]] Scalar convert(Scalar a, const FloatFormat& format) const;
  [[nodiscard]] Scalar add(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar subtract(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar multiply(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar divide(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar root(Scalar a, const FloatFormat& format) const;
  [[nodiscard]] Scalar reciprocal_root(Scalar a, const FloatFormat& format) const;
  [[nodiscard]] Scalar measured_reciprocal_root(Scalar a, RsqrtTable table) const;
  // The same from 1/sqrt of a binary32 number, rounded to binary32.
  [[nodiscard]] static double measured_from_nearest(double a, double nearest, RsqrtTable table);
  [[nodiscard]] Scalar exponential(Scalar a, const FloatFormat& format) const;
  [[nodiscard]] Scalar fused(Scalar a, Scalar b, Scalar c, const FloatFormat& format) const;
  [[nodiscard]] Scalar greatest(Scalar a, Scalar b, const FloatFormat& format) const;

  [[nodiscard]] static double value_of(Scalar a) { return a.value; }
  [[nodiscard]] static Scalar moved(Scalar a, int codes);

  [[nodiscard]] Row load(const RowView& row) const;
  void store(const Row& row, const FloatFormat& format, StoreRounding rounding,
             std::byte* bytes) const;
  [[nodiscard]] Row part(const Row& row, std::size_t first, std::size_t count) const;

  [[nodiscard]] Row convert(Row a, const FloatFormat& format) const;
  [[nodiscard]] Row add(Row a, const Row& b, const FloatFormat& format) const;
  [[nodiscard]] Row add(Row a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Row subtract(Row a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Row multiply(Row a, const Row& b, const FloatFormat& format) const;
  [[nodiscard]] Row multiply(Row a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Row square(Row a, const FloatFormat& format) const;
  [[nodiscard]] Row divide(Row a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Row multiply_and_add_itself(Row a, const Row& w, const FloatFormat& format) const;
  // Requires an offset of 1.
  [[nodiscard]] Row multiply_with_sum(Row a, const Row& w, Scalar offset,
                                      const FloatFormat& format) const;
  template <typename Operation>
  [[nodiscard]] Row each(Row a, const FloatFormat& format, Operation operation) const {
    for (double& value : a.values) value = operation(Scalar{value, &format}).value;
    a.format = &format;
    return a;
  }
  [[nodiscard]] Row clamp(Row a, double limit) const;
  [[nodiscard]] Scalar greatest_magnitude(const Row& a) const;

  [[nodiscard]] Scalar sum(const Row& terms, const SummationOrder& order,
                           const FloatFormat& format) const;
  [[nodiscard]] Scalar fused_sum_of_squares(const Row& x, const SummationOrder& order,
                                            const FloatFormat& format) const;
  [[nodiscard]] Scalar kahan_sum(const Row& terms, const FloatFormat& format) const;
  [[nodiscard]] Scalar exact_sum(const Row& terms, const FloatFormat& format) const;
};

}  // namespace normcert
