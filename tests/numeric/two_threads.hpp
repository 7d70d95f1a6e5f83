// Splits an exhaustive sweep between two threads.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace normcert {

// Calls sweep(0) and sweep(1) at the same time; the sum of what they return.
inline std::uint64_t on_two_threads(const std::function<std::uint64_t(unsigned)>& sweep) {
  std::uint64_t other = 0;
  std::thread thread([&] { other = sweep(1); });
  const std::uint64_t own = sweep(0);
  thread.join();
  return own + other;
}

}  // namespace normcert
