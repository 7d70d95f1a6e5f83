// One element against its exact result: every question decided by integers, every maximum kept with
// its witness.
#pragma once

#include <cstddef>
#include <optional>

#include "judge/comparison.hpp"
#include "judge/exact_compare.hpp"
#include "numeric/big_dyadic.hpp"
#include "problem/case.hpp"
#include "reference/exact_row.hpp"

namespace normcert {

// |got - y| in ulp of the format of got, to 256 bits. Requires a finite output.
[[nodiscard]] Wide ulp_error(const RootOfRatio& exact, Code got);
// |got - y| / |y| to 256 bits; nothing where |y| is below the format's normal numbers.
[[nodiscard]] std::optional<Wide> relative_error(const RootOfRatio& exact, Code got);
// An element with everything that a reader needs to redo it.
[[nodiscard]] Witness witness_of(const Case& value, const RootOfRatio& exact, std::size_t row,
                                 std::size_t index, Code got);

class ElementComparer {
 public:
  // All must outlive the comparer.
  ElementComparer(const Case& value, const TensorView& got, const Criteria& criteria);

  // count() and measure().
  void compare(const RootOfRatio& exact, std::size_t row, std::size_t index,
               Comparison& into) const;
  // Everything that is counted, the tolerance's first witness too.
  void count(const RootOfRatio& exact, std::size_t row, std::size_t index, Comparison& into) const;
  // Offers the element's errors as maxima. Requires a finite output.
  void measure(const RootOfRatio& exact, std::size_t row, std::size_t index,
               Comparison& into) const;
  [[nodiscard]] Witness witness(const RootOfRatio& exact, std::size_t row, std::size_t index) const;

 private:
  void judge_tolerance(const RootOfRatio& exact, bool is_correctly_rounded, std::size_t row,
                       std::size_t index, Comparison& into) const;

  const Case& case_;
  const TensorView& got_;
  std::optional<double> max_ulp_;
  bool has_tolerance_ = false;
  BigDyadic atol_;
  BigDyadic rtol_;
};

}  // namespace normcert
