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

class ElementComparer {
 public:
  // All must outlive the comparer.
  ElementComparer(const Case& value, const TensorView& got, const Criteria& criteria);

  void compare(const RootOfRatio& exact, std::size_t row, std::size_t index,
               Comparison& into) const;
  [[nodiscard]] Witness witness(const RootOfRatio& exact, std::size_t row, std::size_t index) const;

 private:
  void judge_tolerance(const RootOfRatio& exact, bool is_correctly_rounded, std::size_t row,
                       std::size_t index, Comparison& into) const;
  void measure(const RootOfRatio& exact, std::size_t row, std::size_t index,
               Comparison& into) const;

  const Case& case_;
  const TensorView& got_;
  std::optional<double> max_ulp_;
  bool has_tolerance_ = false;
  BigDyadic atol_;
  BigDyadic rtol_;
};

}  // namespace normcert
