#include "emulation/order.hpp"

#include <optional>

namespace normcert {
namespace {

// Depths in place of sums; nothing stands for an empty sum, whose addition is exact.
struct DepthPolicy {
  using Value = std::optional<std::size_t>;

  [[nodiscard]] Value zero() const { return {}; }
  [[nodiscard]] Value include(Value sum, std::size_t) const { return add(sum, 0); }
  [[nodiscard]] Value add(Value a, Value b) const {
    if (!a || !b) return a ? a : b;
    return std::max(*a, *b) + 1;
  }
};

}  // namespace

std::size_t reduction_depth(const SummationOrder& order, std::size_t count, bool narrow_lanes) {
  if (count == 0) return 0;
  if (order.kind == OrderKind::kAny) {
    return order.depth ? static_cast<std::size_t>(*order.depth) : count - 1;
  }
  const DepthPolicy policy;
  return OrderedSum(policy, order, narrow_lanes).sum(count).value_or(0);
}

}  // namespace normcert
