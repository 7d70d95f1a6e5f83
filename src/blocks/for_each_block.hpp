// The only place with threads: independent blocks of work, their results taken in index order.
//
// compute(i) runs on any thread, in any order, several at a time; merge(i, result) runs for i = 0,
// 1, 2, ... one after the other. So whatever merge builds depends on the blocks alone, never on the
// number of threads. At most two results per thread wait for their turn: memory stays flat.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace normcert {

// Threads that this process may use: its CPU affinity and the quota of its cgroup, at least 1.
[[nodiscard]] unsigned available_threads();

// Type-erased form; the template below is for use. An exception of a block is thrown here when its
// turn comes, so that the first in index order is the one that is seen.
void run_blocks(std::size_t count, unsigned threads,
                const std::function<std::shared_ptr<void>(std::size_t)>& compute,
                const std::function<void(std::size_t, std::shared_ptr<void>)>& merge);

template <typename Compute, typename Merge>
void for_each_block(std::size_t count, unsigned threads, Compute compute, Merge merge) {
  using Result = decltype(compute(std::size_t{}));
  run_blocks(
      count, threads,
      [&](std::size_t index) -> std::shared_ptr<void> {
        return std::make_shared<Result>(compute(index));
      },
      [&](std::size_t index, const std::shared_ptr<void>& result) {
        merge(index, std::move(*static_cast<Result*>(result.get())));
      });
}

}  // namespace normcert
