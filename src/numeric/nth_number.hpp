// The n-th smallest of more numbers than memory should hold.
#pragma once

#include <cstddef>
#include <functional>

namespace normcert {

using NumberSource = std::function<void(const std::function<void(double)>&)>;

// *Exact*: that number itself, n from 0 on. `source` hands over all numbers, none negative or NaN
// and more than n, in any order; it is called several times where there are more than `at_once`,
// which is how many are held in memory.
[[nodiscard]] double nth_number(std::size_t n, const NumberSource& source,
                                std::size_t at_once = std::size_t{1} << 16);

}  // namespace normcert
