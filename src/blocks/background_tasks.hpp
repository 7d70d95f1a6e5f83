// Tasks that run beside the main loop (for_each_block), each on one thread, in no particular order.
// What a task computes must go to a place of its own, so that nothing depends on the order.
#pragma once

#include <functional>
#include <memory>

namespace normcert {

class BackgroundTasks {
 public:
  // At most `threads` tasks at a time. With 1 no thread is started: tasks run where help() or
  // wait() is called.
  explicit BackgroundTasks(unsigned threads);
  // Waits for tasks under way; those that have not begun never do.
  ~BackgroundTasks();
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  void add(std::function<void()> task);
  // Runs on this thread every task that no other has begun.
  void help();
  // Returns when all tasks are done; the caller works too. Throws the exception of the task that
  // was added first among those that ended with one. Nothing is added afterwards.
  void wait();

 private:
  class Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace normcert
