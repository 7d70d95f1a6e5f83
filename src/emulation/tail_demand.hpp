// What the elements of a row ask of its scalar: at one value of it, the first element whose output
// is too small, too great, or out of reach.
#pragma once

#include <cstddef>
#include <optional>

#include "emulation/row_view.hpp"

namespace normcert {

struct Demand {
  std::optional<std::size_t> greater;     // |y| is too small
  std::optional<std::size_t> smaller;     // |y| is too great
  std::optional<std::size_t> impossible;  // of the other sign, which no scalar gives
  bool unordered = false;                 // NaN: says nothing about the scalar
};

// `y` is what the tail gives, `got` what it is to give, of the same format and size. NaN equals
// NaN; zeros of either sign are equal: level bits counts them.
[[nodiscard]] Demand demand_of(const RowView& got, const RowView& y);

// Of outputs of which only two ends are known, `least` and `greatest` in magnitude: an element that
// lies between them asks for nothing.
[[nodiscard]] Demand demand_between(const RowView& got, const RowView& least,
                                    const RowView& greatest);

}  // namespace normcert
