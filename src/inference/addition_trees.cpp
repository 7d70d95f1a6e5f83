// Orders of summation as trees of additions, each distinct tree a number.
#include <map>
#include <tuple>
#include <utility>

#include "emulation/order.hpp"
#include "inference/recipe_equality.hpp"

namespace normcert {
namespace {

// Above it the trees take more memory than the answer is worth.
constexpr std::size_t kGreatestCount = std::size_t{1} << 16;

enum class Node : std::uint8_t { kTerm, kSum, kFused };

// Trees that are equal have the same number; 0 is the empty sum.
class TreeTable {
 public:
  std::size_t term(std::size_t i) { return number({Node::kTerm, i, 0}); }
  std::size_t sum(std::size_t a, std::size_t b) {
    if (a == 0 || b == 0) return a == 0 ? b : a;  // a square is never -0, so adding 0 changes none
    return number({Node::kSum, std::min(a, b), std::max(a, b)});
  }
  std::size_t fused(std::size_t a, std::size_t i) {
    return a == 0 ? term(i) : number({Node::kFused, a, i});
  }

 private:
  using Key = std::tuple<Node, std::size_t, std::size_t>;

  std::size_t number(const Key& key) {
    return numbers_.emplace(key, numbers_.size() + 1).first->second;
  }

  std::map<Key, std::size_t> numbers_;
};

struct TreePolicy {
  using Value = std::size_t;
  TreeTable* table;
  bool fused;

  [[nodiscard]] Value zero() const { return 0; }
  [[nodiscard]] Value add(Value a, Value b) const { return table->sum(a, b); }
  [[nodiscard]] Value include(Value sum, std::size_t i) const {
    return fused ? table->fused(sum, i) : table->sum(sum, table->term(i));
  }
};

}  // namespace

bool same_additions(const SummationOrder& a, const SummationOrder& b, std::size_t count,
                    bool narrow_lanes, bool squares_are_exact) {
  const bool either_unknown = a.kind == OrderKind::kAny || b.kind == OrderKind::kAny;
  // What is emulated for an unknown order is no statement about it.
  if (either_unknown && a.kind != b.kind && count > 2) return false;
  if (a == b) return true;
  if (count > kGreatestCount) return false;
  TreeTable table;
  const auto tree_of = [&](const SummationOrder& order) {
    const TreePolicy policy{&table, has_fma(order.kind) && order.fma && !squares_are_exact};
    return OrderedSum(policy, order, narrow_lanes).sum(count);
  };
  const std::size_t first = tree_of(a);
  return first == tree_of(b);
}

}  // namespace normcert
