// The sum of squares of a row in binary64, in one fixed order on every machine: element i goes to
// virtual lane i mod 32, the lanes are added in halves (16, 8, 4, 2, 1).
#pragma once

#include <cstddef>

#include "numeric/float_format.hpp"

namespace normcert {

// How many rounded additions a term passes through at most; *upper bound*.
[[nodiscard]] constexpr std::size_t square_sum_depth(std::size_t count) {
  return (count + 31) / 32 + 5;
}

// Squares of elements of at most 24 significant bits are exact in binary64 (48 bits), so only the
// additions round: relative error at most that of square_sum_depth(count) additions of nonnegative
// terms. Not finite where an element is not. Requires a format other than fp64.
[[nodiscard]] double square_sum(const FloatFormat& format, const std::byte* bytes,
                                std::size_t count);

// True only where square_sum() of these elements has rounded nothing and is the exact sum: bf16 and
// fp16 whose magnitudes lie near enough to one another. Requires finite elements.
[[nodiscard]] bool square_sum_is_exact(const FloatFormat& format, const std::byte* bytes,
                                       std::size_t count);

// The same of binary64 numbers; here each square is rounded once too.
[[nodiscard]] double square_sum(const double* values, std::size_t count);

}  // namespace normcert
