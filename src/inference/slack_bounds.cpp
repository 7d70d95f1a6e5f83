#include "inference/slack_bounds.hpp"

#include <algorithm>
#include <limits>

namespace normcert {
namespace {

double bound(std::size_t depth, double unit) {
  const double linear = static_cast<double>(depth + 3) * unit;
  if (linear >= 0.25) return std::numeric_limits<double>::infinity();
  const double half = linear / (1 - linear) / 2;
  // (1 - g)^(-1/2) - 1 <= g/2 + 3/8 g^2 / (1 - g), with g/2 = half.
  return (half + 1.5 * half * half / (1 - 2 * half)) / unit + 5;
}

}  // namespace

SlackBounds slack_bounds(std::size_t n, double unit) {
  const std::size_t any = n == 0 ? 0 : n - 1;
  const std::size_t known = std::min(any, (n + 255) / 256 + 20);
  return {bound(known, unit), bound(any, unit)};
}

}  // namespace normcert
