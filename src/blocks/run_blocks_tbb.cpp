// oneTBB: a pipeline whose last stage is serial and in order.
#ifndef NORMCERT_STD_THREADS

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <exception>

#include "blocks/for_each_block.hpp"
#include "blocks/guarded_block.hpp"

namespace normcert {

void run_blocks(std::size_t count, unsigned threads,
                const std::function<std::shared_ptr<void>(std::size_t)>& compute,
                const std::function<void(std::size_t, std::shared_ptr<void>)>& merge,
                BackgroundTasks* beside) {
  if (threads <= 1 || count <= 1) {
    run_blocks_in_order(count, compute, merge);
    return;
  }
  std::size_t next = 0;
  // oneTBB loses the items that are under way when an exception passes through a pipeline; so none
  // does, and the first in index order is thrown at the end.
  std::atomic<bool> stopped = false;
  std::exception_ptr failure;
  namespace tbb = oneapi::tbb;
  const auto take = [&](tbb::flow_control& control) -> std::size_t {
    if (next == count || stopped) {
      control.stop();
      return 0;
    }
    return next++;
  };
  const auto work = [&](std::size_t index) { return compute_guarded(index, compute); };
  const auto deliver = [&](const GuardedBlock& block) {
    if (failure) return;
    try {
      if (block.failure) std::rethrow_exception(block.failure);
      merge(block.index, block.result);
    } catch (...) {
      failure = std::current_exception();
      stopped = true;
    }
  };
  // More threads than cores only where they were asked for; oneTBB wants to be told.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::task_group tasks;
    for (unsigned i = 1; beside != nullptr && i < threads; ++i) {
      tasks.run([beside] { beside->help(); });
    }
    tbb::parallel_pipeline(
        kMostWaiting * threads,
        tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, take) &
            tbb::make_filter<std::size_t, GuardedBlock>(tbb::filter_mode::parallel, work) &
            tbb::make_filter<GuardedBlock, void>(tbb::filter_mode::serial_in_order, deliver));
    if (beside != nullptr) beside->help();
    tasks.wait();
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace normcert

#endif
