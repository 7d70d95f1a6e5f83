// The twin of run_blocks_tbb.cpp with std::thread: oneTBB is not instrumented for the thread
// sanitizer and cannot be linked statically, so builds for either (NORMCERT_STD_THREADS) use this.
#ifdef NORMCERT_STD_THREADS

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "blocks/for_each_block.hpp"
#include "blocks/guarded_block.hpp"

namespace normcert {
namespace {

// Hands out indices and merges results in index order. A thread that comes early leaves its result
// for the one that merges its predecessor.
class OrderedQueue {
 public:
  OrderedQueue(std::size_t count, std::size_t most_waiting,
               const std::function<void(std::size_t, std::shared_ptr<void>)>& merge)
      : count_(count), most_waiting_(most_waiting), merge_(merge) {}

  // Waits while too many results do.
  bool take(std::size_t& index) {
    std::unique_lock lock(mutex_);
    merged_one_.wait(lock, [&] { return failure_ || next_ - merged_ < most_waiting_; });
    if (next_ == count_ || failure_) return false;
    index = next_++;
    return true;
  }

  void deliver(GuardedBlock block) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(block.index, std::move(block));
    if (is_merging_) return;
    is_merging_ = true;
    for (auto next = waiting_.find(merged_); next != waiting_.end() && !failure_;
         next = waiting_.find(merged_)) {
      const GuardedBlock ready = std::move(next->second);
      waiting_.erase(next);
      lock.unlock();
      std::exception_ptr failure = ready.failure;
      try {
        if (!failure) merge_(ready.index, ready.result);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
      ++merged_;
      merged_one_.notify_all();
    }
    is_merging_ = false;
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t count_;
  std::size_t most_waiting_;
  const std::function<void(std::size_t, std::shared_ptr<void>)>& merge_;
  std::mutex mutex_;
  std::condition_variable merged_one_;
  std::map<std::size_t, GuardedBlock> waiting_;
  bool is_merging_ = false;
  std::size_t next_ = 0;
  std::size_t merged_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void run_blocks(std::size_t count, unsigned threads,
                const std::function<std::shared_ptr<void>(std::size_t)>& compute,
                const std::function<void(std::size_t, std::shared_ptr<void>)>& merge,
                BackgroundTasks* beside) {
  if (threads <= 1 || count <= 1) {
    run_blocks_in_order(count, compute, merge);
    return;
  }
  OrderedQueue queue(count, kMostWaiting * threads, merge);
  std::vector<std::jthread> workers;
  const auto work = [&] {
    std::size_t index = 0;
    while (queue.take(index)) queue.deliver(compute_guarded(index, compute));
  };
  for (unsigned i = 1; i < threads; ++i) {
    workers.emplace_back([&] {
      if (beside != nullptr) beside->help();
      work();
    });
  }
  work();
  if (beside != nullptr) beside->help();
  workers.clear();  // joins
  queue.rethrow_failure();
}

}  // namespace normcert

#endif
