// The order in which PyTorch sums a contiguous last dimension on the CPU (aten/src/ATen/native/cpu/
// SumKernel.cpp, `cascade_sum`, read in 2.4 and 2.6; confirmed bit for bit by captures of 2.11).
//
// The row is a sequence of vectors of L lanes. Vector i goes to accumulator i mod 4, and each
// accumulator is a cascade of four levels: vectors are added to level 0; after every `step` of
// them level 0 is added to level 1 and cleared, and so on upwards while the low digits of the
// count (in base `step`) are zero. At the end the levels are added to level 0 one by one; the
// vectors that do not fill four accumulators go to accumulator 0; accumulators are added to the
// first one by one. The elements behind the last whole vector are summed one by one from zero, and
// to that sum the lanes are added one by one. A row shorter than one vector has lanes of width 1.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

namespace normcert {

// `Policy` as in emulation/order.hpp.
template <typename Policy>
class TorchCascade {
 public:
  using Value = typename Policy::Value;

  TorchCascade(const Policy& policy, std::size_t lanes) : policy_(policy), lanes_(lanes) {}

  [[nodiscard]] Value sum(std::size_t count) const {
    if (count < lanes_) return TorchCascade(policy_, 1).vectors(count)[0];
    const std::size_t vector_count = count / lanes_;
    const std::vector<Value> lane_sums = vectors(vector_count);
    Value total = policy_.zero();
    for (std::size_t i = vector_count * lanes_; i < count; ++i) total = policy_.include(total, i);
    for (const Value& lane : lane_sums) total = policy_.add(total, lane);
    return total;
  }

 private:
  static constexpr std::size_t kAccumulators = 4;
  static constexpr std::size_t kLevels = 4;

  // The lanes of the sum of `count` vectors.
  [[nodiscard]] std::vector<Value> vectors(std::size_t count) const {
    std::vector<Value> sums = cascade(count / kAccumulators);
    for (std::size_t i = count - count % kAccumulators; i < count; ++i) include(sums, 0, i);
    for (std::size_t a = 1; a < kAccumulators; ++a) add(sums, 0, sums, a);
    sums.resize(lanes_, policy_.zero());
    return sums;
  }

  // Accumulator after accumulator, `lanes_` each, of `count` times four vectors.
  [[nodiscard]] std::vector<Value> cascade(std::size_t count) const {
    const std::size_t digits = std::max<std::size_t>(4, ceil_log2(count) / kLevels);
    const std::size_t step = std::size_t{1} << digits;
    const std::vector<Value> zeros(kAccumulators * lanes_, policy_.zero());
    std::array<std::vector<Value>, kLevels> levels;
    levels.fill(zeros);
    std::size_t i = 0;
    while (i + step <= count) {
      for (const std::size_t end = i + step; i < end; ++i) include_four(levels[0], i);
      for (std::size_t level = 1; level < kLevels; ++level) {
        add_all(levels[level], levels[level - 1]);
        levels[level - 1] = zeros;
        const std::size_t mask = (step - 1) << (level * digits);
        if ((i & mask) != 0) break;
      }
    }
    for (; i < count; ++i) include_four(levels[0], i);
    for (std::size_t level = 1; level < kLevels; ++level) add_all(levels[0], levels[level]);
    return levels[0];
  }

  static std::size_t ceil_log2(std::size_t value) {
    return value <= 2 ? 1 : static_cast<std::size_t>(std::bit_width(value - 1));
  }

  // Vector `vector` to accumulator `accumulator`.
  void include(std::vector<Value>& sums, std::size_t accumulator, std::size_t vector) const {
    Value* sum = sums.data() + accumulator * lanes_;
    for (std::size_t l = 0; l < lanes_; ++l) {
      sum[l] = policy_.include(sum[l], vector * lanes_ + l);
    }
  }

  void include_four(std::vector<Value>& sums, std::size_t group) const {
    Value* sum = sums.data();
    const std::size_t width = kAccumulators * lanes_;
    for (std::size_t l = 0; l < width; ++l) sum[l] = policy_.include(sum[l], group * width + l);
  }

  void add(std::vector<Value>& to, std::size_t to_accumulator, const std::vector<Value>& from,
           std::size_t from_accumulator) const {
    for (std::size_t l = 0; l < lanes_; ++l) {
      Value& sum = to[to_accumulator * lanes_ + l];
      sum = policy_.add(sum, from[from_accumulator * lanes_ + l]);
    }
  }

  void add_all(std::vector<Value>& to, const std::vector<Value>& from) const {
    for (std::size_t l = 0; l < to.size(); ++l) to[l] = policy_.add(to[l], from[l]);
  }

  const Policy& policy_;
  std::size_t lanes_;
};

}  // namespace normcert
