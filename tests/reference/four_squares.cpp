#include "reference/four_squares.hpp"

#include <algorithm>
#include <cmath>

namespace normcert {
namespace {

// Exact below 2^52.
std::uint64_t root_of(std::uint64_t square) {
  return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
}

}  // namespace

std::array<std::uint64_t, 4> four_squares(std::uint64_t sum) {
  for (std::uint64_t a = root_of(sum);; --a) {
    const std::uint64_t after_a = sum - a * a;
    for (std::uint64_t b = std::min(a, root_of(after_a)); 3 * b * b >= after_a; --b) {
      const std::uint64_t after_b = after_a - b * b;
      for (std::uint64_t c = std::min(b, root_of(after_b)); 2 * c * c >= after_b; --c) {
        const std::uint64_t d = root_of(after_b - c * c);
        if (c * c + d * d == after_b) return {a, b, c, d};
        if (c == 0) break;
      }
      if (b == 0) break;
    }
  }
}

}  // namespace normcert
