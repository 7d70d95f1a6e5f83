// How many outputs have the bits of reference.rounded, from what a comparison has counted anyway.
#pragma once

#include <cstddef>

#include "judge/comparison.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// Watches one row being compared.
class RoundedBits {
 public:
  explicit RoundedBits(const Comparison& before)
      : correctly_rounded_(before.correctly_rounded),
        other_zeros_(before.zero_sign_differs),
        rows_set_apart_(before.rows_set_apart) {}

  // Adds the row's count to `after`.
  void count(const TensorView& got, std::size_t row, Comparison& after) const;

 private:
  std::uint64_t correctly_rounded_;
  std::uint64_t other_zeros_;
  std::uint64_t rows_set_apart_;
};

}  // namespace normcert
