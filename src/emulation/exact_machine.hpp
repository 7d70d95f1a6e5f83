// The slow machine: rows of codes, each operation carried out on exact values and rounded once
// (emulation/arithmetic.hpp). Plainly right, some microseconds per operation. What a machine must
// offer is what RowEvaluator (emulation/row_evaluator.hpp) uses; HardwareMachine is the fast one.
#pragma once

#include <cstddef>
#include <vector>

#include "emulation/row_view.hpp"
#include "numeric/code.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// Results of all operations have `format` and are *correctly rounded* to it. Operands must be
// numbers of that format, in whatever format they are held; RowEvaluator sees to that.
class ExactMachine {
 public:
  using Scalar = Code;
  struct Row {
    const FloatFormat* format;
    std::vector<Code> elements;
    [[nodiscard]] std::size_t size() const { return elements.size(); }
  };

  explicit ExactMachine(FlushMode flush) : flush_(flush) {}

  // The binary64 value, rounded once.
  [[nodiscard]] Scalar constant(double value, const FloatFormat& format) const;
  [[nodiscard]] Scalar convert(Scalar a, const FloatFormat& format) const;
  [[nodiscard]] Scalar add(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar subtract(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar multiply(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar divide(Scalar a, Scalar b, const FloatFormat& format) const;
  [[nodiscard]] Scalar root(Scalar a, const FloatFormat& format) const;
  [[nodiscard]] Scalar reciprocal_root(Scalar a, const FloatFormat& format) const;
  // rsqrt.approx as a device computes it; a and the result are binary32.
  [[nodiscard]] Scalar measured_reciprocal_root(Scalar a, RsqrtTable table) const;
  // e^a; the format is kFp32 or kFp64.
  [[nodiscard]] Scalar exponential(Scalar a, const FloatFormat& format) const;
  // a b + c
  [[nodiscard]] Scalar fused(Scalar a, Scalar b, Scalar c, const FloatFormat& format) const;
  [[nodiscard]] Scalar greatest(Scalar a, Scalar b, const FloatFormat& format) const;

  [[nodiscard]] static double value_of(Scalar a);
  // The number of a's sign whose magnitude is that many codes greater; held within zero and
  // infinity.
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
  // fma(a, w, a)
  [[nodiscard]] Row multiply_and_add_itself(Row a, const Row& w, const FloatFormat& format) const;
  // a (w + offset), the sum never rounded.
  [[nodiscard]] Row multiply_with_sum(Row a, const Row& w, Scalar offset,
                                      const FloatFormat& format) const;
  // `operation` of each element, a number of `format`.
  template <typename Operation>
  [[nodiscard]] Row each(Row a, const FloatFormat& format, Operation operation) const {
    for (Code& element : a.elements) element = operation(element);
    a.format = &format;
    return a;
  }
  // Each element held within [-limit, limit]; NaN stays.
  [[nodiscard]] Row clamp(Row a, double limit) const;
  [[nodiscard]] Scalar greatest_magnitude(const Row& a) const;

  [[nodiscard]] Scalar sum(const Row& terms, const SummationOrder& order,
                           const FloatFormat& format) const;
  // Each square is added by one fused multiply-add.
  [[nodiscard]] Scalar fused_sum_of_squares(const Row& x, const SummationOrder& order,
                                            const FloatFormat& format) const;
  // Compensated, in the order of the elements.
  [[nodiscard]] Scalar kahan_sum(const Row& terms, const FloatFormat& format) const;
  // The exact sum, rounded once; its zero is positive.
  [[nodiscard]] Scalar exact_sum(const Row& terms, const FloatFormat& format) const;

 private:
  friend struct ExactSumPolicy;
  [[nodiscard]] Code operand(Code a, const FloatFormat& format) const;
  [[nodiscard]] Code result(Code a) const;
  template <typename Operation>
  [[nodiscard]] Row map(Row a, const FloatFormat& format, Operation operation) const;

  FlushMode flush_;
};

}  // namespace normcert
