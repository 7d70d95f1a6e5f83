// residual_out of a capture against what it must be: x + residual, rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "judge/verify_types.hpp"

namespace normcert {

// An element with another number than the sum.
struct WrongSum {
  std::size_t row = 0;
  std::size_t index = 0;
  double x = 0;
  double residual = 0;
  double got = 0;
  double expected = 0;  // in the format that was held against it
};

struct SumCheck {
  const FloatFormat* format = nullptr;  // to which x + residual is rounded
  std::uint64_t elements = 0;
  std::uint64_t differing = 0;
  std::optional<WrongSum> first;  // of the least row and index
};

// Every element of residual_out against x + residual, *correctly rounded* to the format of
// residual_out or to a narrower one of residual or x, whichever leaves the fewest that differ: a
// port may round the sum before it stores it. An element with the number of `source`, the recipe of
// the source framework, does not differ either: one that flushes writes zeros for subnormal sums. A
// NaN is any NaN, and the sign of a zero is not asked. None where the case has no residual or no
// residual_out of its shape. Requires x and residual of at most 24 significant bits.
[[nodiscard]] std::optional<SumCheck> check_sum(const JudgedCase& judged, const Recipe* source);

// "3 of 64 elements of residual_out are not x + residual, rounded once to bf16; the first in row 2,
// element 5: found 1.5, expected 1.25 (x 1, residual 0.25)".
[[nodiscard]] std::string words_of(const SumCheck& check);

}  // namespace normcert
