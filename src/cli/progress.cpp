#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace normcert {
namespace {

constexpr std::chrono::seconds kQuietFor{1};
constexpr std::chrono::milliseconds kBetween{100};

// 268435456 -> "268 M".
std::string scaled(double number) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", " k", " M", " G", " T"};
  std::size_t prefix = 0;
  for (; number >= 1000 && prefix + 1 < kPrefixes.size(); ++prefix) number /= 1000;
  return fmt::format("{:.3g}{}", number, kPrefixes.at(prefix));
}

}  // namespace

std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t all,
                          double seconds) {
  const double rate = static_cast<double>(done) / seconds;
  const double left = static_cast<double>(all - done) / rate;
  return fmt::format("{} of {} {}, {} a second, about {:.0f} s left",
                     scaled(static_cast<double>(done)), scaled(static_cast<double>(all)), what,
                     scaled(rate), left);
}

ProgressLine::ProgressLine(const SharedOptions& options, std::string what)
    : wanted_(!options.quiet && isatty(STDERR_FILENO) == 1),
      what_(std::move(what)),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::uint64_t done, std::uint64_t all) {
  if (!wanted_ || done == 0 || done == all) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < kQuietFor || (shown_ && now - last_ < kBetween)) return;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::fputs(("\r\033[K" + progress_text(what_, done, all, elapsed)).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
}

}  // namespace normcert
