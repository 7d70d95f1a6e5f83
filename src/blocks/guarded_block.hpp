// One block's result, or the exception that it ended with, on its way to the merge.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace normcert {

struct GuardedBlock {
  std::size_t index = 0;
  std::shared_ptr<void> result;
  std::exception_ptr failure;
};

inline GuardedBlock compute_guarded(
    std::size_t index, const std::function<std::shared_ptr<void>(std::size_t)>& compute) {
  try {
    return {index, compute(index), nullptr};
  } catch (...) {
    return {index, nullptr, std::current_exception()};
  }
}

// The plain loop: one thread, nothing to coordinate.
inline void run_blocks_in_order(
    std::size_t count, const std::function<std::shared_ptr<void>(std::size_t)>& compute,
    const std::function<void(std::size_t, std::shared_ptr<void>)>& merge) {
  for (std::size_t index = 0; index < count; ++index) merge(index, compute(index));
}

}  // namespace normcert
