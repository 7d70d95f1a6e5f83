// Whether one value of a row's scalar explains the row.
//
// The steps after the scalar (r, or rms where the tail divides) are correctly rounded operations
// that use it once each, so every |y_i| is a monotone function of it. If at some scalar one element
// needs a greater scalar and another a smaller one, no scalar reproduces the row; otherwise half of
// what is left can be discarded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "emulation/emulate.hpp"

namespace normcert {

enum class TailFit : std::uint8_t {
  kReproduced,  // some scalar gives every element
  kRefuted,     // none does
  kUndecided,   // NaN on the way, where the order of codes says nothing
};

// The tail of one recipe on the rows of a block: what does not depend on the row is formed once.
class TailFitter {
 public:
  // Requires a recipe that computes in binary32, without groups; the recipe must outlive this.
  TailFitter(const Recipe& recipe, BlockInput input);
  ~TailFitter();
  TailFitter(TailFitter&&) noexcept;
  TailFitter& operator=(TailFitter&&) noexcept;

  // Whether a binary32 scalar s, low <= s <= high, through the recipe's tail gives exactly the
  // codes `got` of that row (NaN equals NaN, zeros of either sign are equal). Requires 0 < low <=
  // high, got.size() == x.width of the format that emulated_format() names.
  [[nodiscard]] TailFit fit(std::size_t row, const RowView& got, float low, float high);

 private:
  class Tail;
  struct Tails;
  std::unique_ptr<Tails> tails_;
};

// The same for one row by itself.
[[nodiscard]] TailFit fit_tail(const Recipe& recipe, const RowInput& input, const RowView& got,
                               float low, float high);

}  // namespace normcert
