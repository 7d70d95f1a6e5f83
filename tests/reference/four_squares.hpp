// Lagrange: every non-negative integer is a sum of four squares. Rows whose root mean square is
// exactly a given number are made with it.
#pragma once

#include <array>
#include <cstdint>

namespace normcert {

// Four integers, largest first, whose squares add up to `sum`. Meant for sums below 2^32.
[[nodiscard]] std::array<std::uint64_t, 4> four_squares(std::uint64_t sum);

}  // namespace normcert
