#include "blocks/background_tasks.hpp"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace normcert {

// std::thread in every build: tasks are few and long, there is nothing for a scheduler to win.
class BackgroundTasks::Queue {
 public:
  explicit Queue(unsigned threads) : threads_(threads) {}
  ~Queue() {
    {
      const std::scoped_lock lock(mutex_);
      next_ = tasks_.size();
    }
    workers_.clear();  // joins
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void add(std::function<void()> task) {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    // A worker ends when it finds nothing to do; the ones that ended are replaced.
    if (threads_ > 1 && working_ < threads_) {
      ++working_;
      workers_.emplace_back([this] {
        while (run_next(true)) {
        }
      });
    }
  }

  void help() {
    while (run_next(false)) {
    }
  }

  void wait() {
    help();
    {
      // Those that other threads have taken by help().
      std::unique_lock lock(mutex_);
      ended_one_.wait(lock, [this] { return under_way_ == 0; });
    }
    workers_.clear();  // joins
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // False: nothing is left.
  bool run_next(bool is_worker) {
    std::function<void()> task;
    std::size_t index = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (next_ == tasks_.size()) {
        if (is_worker) --working_;
        return false;
      }
      index = next_++;
      ++under_way_;
      task = std::move(tasks_[index]);
    }
    try {
      task();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_ || index < failed_) {
        failure_ = std::current_exception();
        failed_ = index;
      }
    }
    const std::scoped_lock lock(mutex_);
    --under_way_;
    ended_one_.notify_all();
    return true;
  }

  unsigned threads_;
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
  std::condition_variable ended_one_;
  unsigned working_ = 0;
  std::exception_ptr failure_;
  std::size_t failed_ = 0;
  std::vector<std::jthread> workers_;
};

BackgroundTasks::BackgroundTasks(unsigned threads) : queue_(std::make_unique<Queue>(threads)) {}
BackgroundTasks::~BackgroundTasks() = default;
void BackgroundTasks::add(std::function<void()> task) { queue_->add(std::move(task)); }
void BackgroundTasks::help() { queue_->help(); }
void BackgroundTasks::wait() { queue_->wait(); }

}  // namespace normcert
