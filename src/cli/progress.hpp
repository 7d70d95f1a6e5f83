// A line of progress on stderr: only on a terminal, only for work of more than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/shared_options.hpp"

namespace normcert {

class ProgressLine {
 public:
  // `what` is counted: "elements".
  ProgressLine(const SharedOptions& options, std::string what);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::uint64_t done, std::uint64_t all);

 private:
  bool wanted_;
  bool shown_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

// "151 M of 268 M elements, 50.1 M a second, about 2 s left".
[[nodiscard]] std::string progress_text(const std::string& what, std::uint64_t done,
                                        std::uint64_t all, double seconds);

}  // namespace normcert
