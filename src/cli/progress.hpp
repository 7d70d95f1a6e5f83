// A line of progress on stderr: only on a terminal, only for work of more than a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/shared_options.hpp"

namespace normcert {

class ProgressLine {
 public:
  ProgressLine(const SharedOptions& options, std::string what);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::size_t done, std::size_t all);

 private:
  bool wanted_;
  bool shown_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace normcert
