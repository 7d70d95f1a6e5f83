#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "problem/error.hpp"

namespace normcert {
namespace {

// Returns 0 or an errno.
int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void reserve_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one. Opened for the direction in which nobody uses it.
    const int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    static_cast<void>(open("/dev/null", flags));
  }
}

void write_stdout(std::string_view text) {
  const int failed = write_all(STDOUT_FILENO, text);
  if (failed == 0) return;
  throw InputError({.code = "output",
                    .file = "standard output",
                    .place = "cannot be written",
                    .found = std::generic_category().message(failed),
                    .expected = "",
                    .nearest = ""});
}

void write_stderr(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace normcert
