// Numbers whose first one begins a cache line: vectors of a line's size that begin elsewhere touch
// two of them, each read and each write.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace normcert {

template <typename Number>
struct LineAllocator {
  using value_type = Number;  // NOLINT(readability-identifier-naming): the standard's name
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename Other>
  explicit LineAllocator(const LineAllocator<Other>&) {}

  [[nodiscard]] Number* allocate(std::size_t count) {
    return static_cast<Number*>(::operator new(count * sizeof(Number), kLine));
  }
  void deallocate(Number* numbers, std::size_t) { ::operator delete(numbers, kLine); }

  bool operator==(const LineAllocator&) const { return true; }
};

using AlignedFloats = std::vector<float, LineAllocator<float>>;

}  // namespace normcert
