#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace normcert {
namespace {

constexpr std::chrono::seconds kQuietFor{1};
constexpr std::chrono::milliseconds kBetween{100};

}  // namespace

ProgressLine::ProgressLine(const SharedOptions& options, std::string what)
    : wanted_(!options.quiet && isatty(STDERR_FILENO) == 1),
      what_(std::move(what)),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::size_t done, std::size_t all) {
  if (!wanted_ || done == all) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < kQuietFor || (shown_ && now - last_ < kBetween)) return;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed * static_cast<double>(all - done) / static_cast<double>(done);
  std::fputs(
      fmt::format("\r\033[K{} {} of {}, about {:.0f} s left", what_, done, all, left).c_str(),
      stderr);
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
}

}  // namespace normcert
