#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "blocks/for_each_block.hpp"

namespace normcert {
namespace {

// Work whose length differs from block to block, so that threads finish out of order.
std::string uneven(std::size_t index) {
  volatile std::size_t spin = (index * 7919) % 5000;
  while (spin > 0) spin = spin - 1;
  return std::to_string(index) + ";";
}

TEST(ForEachBlock, MergesInIndexOrderForEveryNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    for (const std::size_t count : {0U, 1U, 2U, 257U}) {
      std::string merged;
      std::string expected;
      for (std::size_t i = 0; i < count; ++i) expected += std::to_string(i) + ";";
      for_each_block(count, threads, uneven,
                     [&](std::size_t, const std::string& part) { merged += part; });
      EXPECT_EQ(merged, expected) << threads << " threads, " << count << " blocks";
    }
  }
}

TEST(ForEachBlock, ThrowsTheFirstFailureInIndexOrder) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::vector<std::size_t> merged;
    const auto run = [&] {
      for_each_block(
          64, threads,
          [](std::size_t index) {
            if (index >= 20) throw std::runtime_error("block " + std::to_string(index));
            return index;
          },
          [&](std::size_t index, std::size_t) { merged.push_back(index); });
    };
    try {
      run();
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "block 20");
    }
    ASSERT_EQ(merged.size(), 20U);
    for (std::size_t i = 0; i < merged.size(); ++i) EXPECT_EQ(merged[i], i);
  }
}

TEST(ForEachBlock, AFailureOfTheMergeIsThrownToo) {
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_THROW(for_each_block(
                     10, threads, [](std::size_t index) { return index; },
                     [](std::size_t index, std::size_t) {
                       if (index == 3) throw std::out_of_range("merge");
                     }),
                 std::out_of_range);
  }
}

TEST(AvailableThreads, IsAtLeastOne) { EXPECT_GE(available_threads(), 1U); }

}  // namespace
}  // namespace normcert
