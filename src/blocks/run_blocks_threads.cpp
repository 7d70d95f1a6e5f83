// The twin of run_blocks_tbb.cpp with std::thread: oneTBB is not instrumented for the thread
// sanitizer, so builds for it (NORMCERT_STD_THREADS) use this one.
#ifdef NORMCERT_STD_THREADS

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "blocks/for_each_block.hpp"
#include "blocks/guarded_block.hpp"

namespace normcert {
namespace {

// Hands out indices and lets results through in index order.
class OrderedQueue {
 public:
  OrderedQueue(std::size_t count,
               const std::function<void(std::size_t, std::shared_ptr<void>)>& merge)
      : count_(count), merge_(merge) {}

  bool take(std::size_t& index) {
    const std::scoped_lock lock(mutex_);
    if (next_ == count_ || failure_) return false;
    index = next_++;
    return true;
  }

  // Blocks until all earlier results were merged; a thread holds one result at most.
  void deliver(const GuardedBlock& block) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return merged_ == block.index; });
    if (!failure_) {
      try {
        if (block.failure) std::rethrow_exception(block.failure);
        merge_(block.index, block.result);
      } catch (...) {
        failure_ = std::current_exception();
      }
    }
    ++merged_;
    turn_.notify_all();
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t, std::shared_ptr<void>)>& merge_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t next_ = 0;
  std::size_t merged_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void run_blocks(std::size_t count, unsigned threads,
                const std::function<std::shared_ptr<void>(std::size_t)>& compute,
                const std::function<void(std::size_t, std::shared_ptr<void>)>& merge) {
  if (threads <= 1 || count <= 1) {
    run_blocks_in_order(count, compute, merge);
    return;
  }
  OrderedQueue queue(count, merge);
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      std::size_t index = 0;
      while (queue.take(index)) queue.deliver(compute_guarded(index, compute));
    });
  }
  workers.clear();  // joins
  queue.rethrow_failure();
}

}  // namespace normcert

#endif
