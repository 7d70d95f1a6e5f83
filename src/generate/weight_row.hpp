// The weight of generated cases: gains around 1, one of them zero or stored as zero, one negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/code.hpp"

namespace normcert {

// (1 - offset) + 0.25 N(0,1), each element rounded once; element 2 is stored as +0, element 3 is
// negative. Throws InputError where such numbers do not fit the format.
[[nodiscard]] std::vector<Code> weight_row(std::uint64_t seed, std::size_t width,
                                           const FloatFormat& format, double weight_offset);

}  // namespace normcert
