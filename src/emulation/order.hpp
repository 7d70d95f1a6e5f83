// Summation in the order of a recipe (problem/recipe.hpp says what each order is), for any kind of
// value: numbers in a format, depths of the additions, or texts of the expression in tests.
//
// A Policy has a type Value and three functions:
//   Value zero() const                              the empty sum
//   Value include(Value sum, std::size_t i) const   sum + term i
//   Value add(Value a, Value b) const               a + b of two partial sums
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "emulation/torch_cascade.hpp"
#include "problem/recipe.hpp"

namespace normcert {

template <typename Policy>
class OrderedSum {
 public:
  using Value = typename Policy::Value;

  // `narrow_lanes`: torch_cascade's registers hold only half as many lanes of binary64.
  OrderedSum(const Policy& policy, const SummationOrder& order, bool narrow_lanes)
      : policy_(policy), order_(order), narrow_lanes_(narrow_lanes) {}

  // Of terms 0 .. count - 1.
  [[nodiscard]] Value sum(std::size_t count) const {
    switch (order_.kind) {
      case OrderKind::kSequential:
        return sequential(policy_.zero(), 0, count);
      case OrderKind::kPairwise:
        return pairwise(0, count, static_cast<std::size_t>(order_.base));
      case OrderKind::kAny:
        return pairwise(0, count, 8);
      case OrderKind::kLanes:
        return in_lanes(count);
      case OrderKind::kTorchCascade: {
        const auto lanes = static_cast<std::size_t>(order_.lanes);
        return TorchCascade(policy_, narrow_lanes_ ? lanes / 2 : lanes).sum(count);
      }
      case OrderKind::kBlockTree:
        return in_block(count, order_);
      case OrderKind::kTorchCudaMean:
        return in_block(count, torch_cuda_block(count));
      case OrderKind::kTriton:
        return in_block(count, triton_block(count));
    }
    return policy_.zero();
  }

 private:
  [[nodiscard]] Value sequential(Value sum, std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i) sum = policy_.include(sum, i);
    return sum;
  }

  [[nodiscard]] Value pairwise(std::size_t first, std::size_t end, std::size_t base) const {
    const std::size_t count = end - first;
    if (count <= std::max<std::size_t>(base, 1)) return sequential(policy_.zero(), first, end);
    const std::size_t middle = first + count / 2;
    const Value low = pairwise(first, middle, base);
    return policy_.add(low, pairwise(middle, end, base));
  }

  [[nodiscard]] Value in_lanes(std::size_t count) const {
    const auto lanes = static_cast<std::size_t>(order_.lanes);
    const auto accumulators = static_cast<std::size_t>(order_.accumulators);
    const std::size_t vector_count = count / lanes;
    std::vector<Value> sums(lanes * accumulators, policy_.zero());
    for (std::size_t j = 0; j < vector_count; ++j) {
      Value* sum = sums.data() + j % accumulators * lanes;
      for (std::size_t l = 0; l < lanes; ++l) sum[l] = policy_.include(sum[l], j * lanes + l);
    }
    for (std::size_t a = 1; a < accumulators; ++a) {
      for (std::size_t l = 0; l < lanes; ++l) {
        sums[l] = policy_.add(sums[l], sums[a * lanes + l]);
      }
    }
    sums.resize(lanes, policy_.zero());
    const std::size_t tail = vector_count * lanes;
    if (order_.tail == LaneTail::kLast) return sequential(combined(sums), tail, count);
    const Value first = sequential(policy_.zero(), tail, count);
    if (order_.combine != LaneCombine::kSequential) return policy_.add(first, combined(sums));
    return one_by_one(first, sums, 0);
  }

  [[nodiscard]] Value one_by_one(Value sum, const std::vector<Value>& sums,
                                 std::size_t from) const {
    for (std::size_t i = from; i < sums.size(); ++i) sum = policy_.add(sum, sums[i]);
    return sum;
  }

  [[nodiscard]] Value combined(std::vector<Value> sums) const {
    switch (order_.combine) {
      case LaneCombine::kHalves:
        return halves(std::move(sums));
      case LaneCombine::kPairs:
        for (std::size_t count = sums.size() / 2; count > 0; count /= 2) {
          for (std::size_t i = 0; i < count; ++i) {
            sums[i] = policy_.add(sums[2 * i], sums[2 * i + 1]);
          }
        }
        return sums[0];
      case LaneCombine::kSequential:
        break;
    }
    return one_by_one(sums[0], sums, 1);
  }

  // Requires a power of two of them.
  [[nodiscard]] Value halves(std::vector<Value> sums) const {
    for (std::size_t count = sums.size() / 2; count > 0; count /= 2) {
      for (std::size_t i = 0; i < count; ++i) sums[i] = policy_.add(sums[i], sums[i + count]);
    }
    return sums[0];
  }

  [[nodiscard]] SummationOrder torch_cuda_block(std::size_t count) const {
    SummationOrder block = order_;
    block.vector = count < 128 ? 1 : 4;
    block.per_element = true;
    block.across = AcrossWarps::kHalving;
    return block;
  }

  [[nodiscard]] SummationOrder triton_block(std::size_t count) const {
    SummationOrder block = order_;
    const std::size_t threads = static_cast<std::size_t>(order_.threads);
    const std::size_t own = std::max<std::size_t>(std::bit_ceil(count) / threads, 1);
    block.vector = static_cast<int>(std::min(own, static_cast<std::size_t>(order_.vector)));
    block.per_element = false;
    block.across = AcrossWarps::kXor;
    return block;
  }

  // One thread's share, vector by vector; with `per_element` a sum for each place in a vector, all
  // of which `sums` is for.
  [[nodiscard]] Value in_thread(std::size_t first, std::size_t stride, std::size_t count,
                                const SummationOrder& block, std::vector<Value>& sums) const {
    const auto vector = static_cast<std::size_t>(block.vector);
    sums.assign(block.per_element ? vector : 1, policy_.zero());
    for (; first < count; first += stride) {
      Value* sum = sums.data();
      for (std::size_t i = first; i < std::min(first + vector, count); ++i) {
        *sum = policy_.include(*sum, i);
        if (block.per_element) ++sum;
      }
    }
    return one_by_one(sums[0], sums, 1);
  }

  // One thread's share: its second element, its first, then the others.
  [[nodiscard]] Value in_triton_thread(std::size_t first, std::size_t stride, std::size_t count,
                                       std::size_t vector) const {
    const auto element = [&](std::size_t k) { return first + k / vector * stride + k % vector; };
    Value sum = policy_.zero();
    if (first >= count) return sum;
    if (element(1) < count) sum = policy_.include(sum, element(1));
    sum = policy_.include(sum, first);
    for (std::size_t k = 2; element(k) < count; ++k) sum = policy_.include(sum, element(k));
    return sum;
  }

  // A thread without elements holds a zero, which changes no sum: threads, halved as long as all
  // vectors find one, give the same bits.
  [[nodiscard]] Value in_block(std::size_t count, const SummationOrder& block) const {
    const auto vector = static_cast<std::size_t>(block.vector);
    auto threads = static_cast<std::size_t>(block.threads);
    while (threads > 1 && threads / 2 * vector >= count) threads /= 2;
    const std::size_t stride = threads * vector;
    std::vector<Value> own_sums;
    std::vector<Value> sums;
    sums.reserve(threads);
    for (std::size_t first = 0; first < stride; first += vector) {
      sums.push_back(block.kind == OrderKind::kTriton
                         ? in_triton_thread(first, stride, count, vector)
                         : in_thread(first, stride, count, block, own_sums));
    }
    constexpr std::size_t kWarp = 32;
    std::vector<Value> warps;
    for (std::size_t first = 0; first < threads; first += kWarp) {
      const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(first);
      const auto size = static_cast<std::ptrdiff_t>(std::min(kWarp, threads - first));
      // Butterfly and shuffle-down give the first lane the same sum: addition commutes.
      warps.push_back(halves({begin, begin + size}));
    }
    if (block.across == AcrossWarps::kSequential) return one_by_one(warps[0], warps, 1);
    return halves(std::move(warps));
  }

  const Policy& policy_;
  const SummationOrder& order_;
  bool narrow_lanes_;
};

// How many additions, at most, a term passes through when `count` terms are added in this order;
// `any`: its depth, else count - 1. Exact for the order (additions of an empty sum do not count,
// nor does a fused multiply-add's multiplication). Time and memory grow with `count`.
[[nodiscard]] std::size_t reduction_depth(const SummationOrder& order, std::size_t count,
                                          bool narrow_lanes = false);

}  // namespace normcert
