// Whole numbers of few bits with a given sum of squares: how a row of chosen elements gets an exact
// mean square.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/dyadic.hpp"

namespace normcert {

// Exact: the greatest whole number whose square is at most `value`.
[[nodiscard]] std::uint64_t floor_sqrt(Uint128 value);

// The greatest whole number of at most `precision` significant bits that is at most `value`.
[[nodiscard]] std::uint64_t floor_to_precision(std::uint64_t value, int precision);

// Fills `numbers` with whole numbers of at most `precision` significant bits whose squares add up
// to at most `sum`, and returns what is missing: the first numbers share the sum evenly, the last
// eight take the greatest square that is left, so that little or nothing remains.
[[nodiscard]] Uint128 fill_with_squares(Uint128 sum, int precision,
                                        std::span<std::uint64_t> numbers);

}  // namespace normcert
