// The only place with threads: independent blocks of work, their results taken in index order.
//
// compute(i) runs on any thread, in any order, several at a time; merge(i, result) runs for i = 0,
// 1, 2, ... one after the other. So whatever merge builds depends on the blocks alone, never on the
// number of threads. At most kMostWaiting results per thread wait for their turn, so that a block
// that takes longer than others does not stop them, and memory stays flat.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "blocks/background_tasks.hpp"

namespace normcert {

// Threads that this process may use: its CPU affinity and the quota of its cgroup, at least 1.
[[nodiscard]] unsigned available_threads();

inline constexpr std::size_t kMostWaiting = 32;

// Type-erased form; the template below is for use. All threads but the caller's do the tasks of
// `beside` before they turn to blocks, and the caller those that are left after them. An exception
// of a block is thrown here when its turn comes, so that the first in index order is the one that
// is seen.
void run_blocks(std::size_t count, unsigned threads,
                const std::function<std::shared_ptr<void>(std::size_t)>& compute,
                const std::function<void(std::size_t, std::shared_ptr<void>)>& merge,
                BackgroundTasks* beside = nullptr);

template <typename Compute, typename Merge>
void for_each_block(std::size_t count, unsigned threads, Compute compute, Merge merge,
                    BackgroundTasks* beside = nullptr) {
  using Result = decltype(compute(std::size_t{}));
  run_blocks(
      count, threads,
      [&](std::size_t index) -> std::shared_ptr<void> {
        return std::make_shared<Result>(compute(index));
      },
      [&](std::size_t index, const std::shared_ptr<void>& result) {
        merge(index, std::move(*static_cast<Result*>(result.get())));
      },
      beside);
}

}  // namespace normcert
