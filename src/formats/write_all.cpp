#include "formats/write_all.hpp"

#include <unistd.h>

#include <cerrno>

namespace normcert {

int write_all(int descriptor, std::string_view content) noexcept {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace normcert
