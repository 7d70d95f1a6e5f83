#include "blocks/background_tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "blocks/for_each_block.hpp"

namespace normcert {
namespace {

TEST(BackgroundTasks, AllAreDoneAfterWait) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 50U}) {
      std::vector<std::string> results(count);
      BackgroundTasks tasks(threads);
      for (std::size_t i = 0; i < count; ++i) {
        tasks.add([&results, i] { results[i] = std::to_string(i); });
      }
      // Beside other work.
      std::size_t sum = 0;
      for_each_block(
          20, threads, [](std::size_t index) { return index; },
          [&](std::size_t, std::size_t index) { sum += index; });
      tasks.wait();
      EXPECT_EQ(sum, 190U);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(results[i], std::to_string(i)) << threads;
    }
  }
}

// Threads of the loop do them, whatever number of blocks there is.
TEST(BackgroundTasks, TheLoopDoesThoseItIsGiven) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    for (const std::size_t blocks : {0U, 1U, 3U, 300U}) {
      std::vector<int> done(20);
      BackgroundTasks tasks(1);
      for (std::size_t i = 0; i < done.size(); ++i) {
        tasks.add([&done, i] {
          ++done[i];
          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
        });
      }
      std::size_t merged = 0;
      for_each_block(
          blocks, threads, [](std::size_t index) { return index; },
          [&](std::size_t, std::size_t index) { EXPECT_EQ(index, merged++); }, &tasks);
      EXPECT_EQ(merged, blocks);
      try {
        tasks.wait();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "7");
      }
      EXPECT_EQ(done, std::vector<int>(20, 1)) << threads << ' ' << blocks;
    }
  }
}

TEST(BackgroundTasks, TheFirstFailureInTheirOrderIsThrown) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    BackgroundTasks tasks(threads);
    std::atomic<int> done = 0;
    for (int i = 0; i < 30; ++i) {
      tasks.add([&done, i] {
        ++done;
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
    }
    try {
      tasks.wait();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(done, 30);
  }
}

TEST(BackgroundTasks, MayEndWithoutWaiting) {
  std::atomic<int> done = 0;
  for (const unsigned threads : {1U, 3U}) {
    BackgroundTasks tasks(threads);
    for (int i = 0; i < 20; ++i) tasks.add([&done] { ++done; });
  }
  EXPECT_LE(done, 20);  // with one thread none of them began
}

}  // namespace
}  // namespace normcert
