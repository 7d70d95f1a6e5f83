// The rounding checks as a suite that any rounding function can be put through: `round` has to
// pass it, and functions with one defect each (rounding_mutants.hpp) have to fail.
//
// A case is a point between two neighbouring numbers of a format, known as "number k of the format
// plus j / 2^s of the distance to the next"; what it must round to follows from k, j and s alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "numeric/rounding.hpp"

namespace normcert {

using Rounder = std::function<Code(const Dyadic&, const FloatFormat&, RoundingRule)>;

struct RoundingCase {
  Dyadic value;
  RoundingRule rule;
  Code expected;
};

// Every case of the suite for one format: zeros, values far below the least and far above the
// greatest number, and 16 points in each interval between neighbours (below, at and above midpoint
// and quarter points), both signs, all rules. Intervals: all of a format of up to 16 bits; of the
// wider ones those around every power of two, some in each binade, and random ones.
// Stops when `visit` returns false.
void for_each_rounding_case(const FloatFormat& format,
                            const std::function<bool(const RoundingCase&)>& visit);

struct SuiteOutcome {
  std::uint64_t cases = 0;
  std::optional<std::string> failure;  // the first one; the suite stops there
};
SuiteOutcome run_rounding_suite(const FloatFormat& format, const Rounder& rounder);

}  // namespace normcert
