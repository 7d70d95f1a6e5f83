// Whether a port writes zero where the exact output, or its input, is a subnormal number: a symptom
// beside whatever function it computes, since elimination lets such elements say nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "inference/elimination.hpp"

namespace normcert {

// Elements that show whether something is flushed. Ends of the range of subnormal numbers, where a
// rounding or an unknown last digit of the row's scalar decides, count as neither.
struct Flushing {
  std::size_t results = 0;       // of no subnormal input, that would be subnormal: written as zero
  std::size_t results_kept = 0;  // the same: written as something else
  std::size_t inputs = 0;        // of subnormal inputs, that would not be subnormal: zero
  std::size_t inputs_kept = 0;
  std::size_t either = 0;  // of subnormal inputs, that would be subnormal: zero
  std::size_t either_kept = 0;

  Flushing& operator+=(const Flushing& other);
};

// Counts. The row's scalar is read off its greatest output, or is that of the declared epsilon
// where all of them are zero. `hypothesis`: whose gain is meant; nullptr: the declared one.
[[nodiscard]] Flushing flushing_of(const ObservedNorm& norm, const Hypothesis* hypothesis);

// A few words where all such elements of a kind are zero and some are; else none.
[[nodiscard]] std::vector<std::string> flushing_words(const Flushing& seen,
                                                      const ObservedNorm& norm);

}  // namespace normcert
