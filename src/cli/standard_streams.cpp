#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "formats/file_error.hpp"
#include "formats/write_all.hpp"
#include "problem/error.hpp"

namespace normcert {
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
                    .found = system_reason(failed),
                    .expected = "",
                    .nearest = ""});
}

void write_stderr(std::string_view text) noexcept {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace normcert
