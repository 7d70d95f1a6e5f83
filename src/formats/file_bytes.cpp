#include "formats/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "formats/file_error.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

InputError open_error(const std::filesystem::path& path, int error_number) {
  if (error_number == ENOENT || error_number == ENOTDIR) {
    return file_error(path, "no file of this name", "a readable file");
  }
  if (error_number == ENXIO) return file_error(path, "a socket", "a regular file");
  return file_error(path, "a file that cannot be opened (" + system_reason(error_number) + ")",
                    "a readable file");
}

std::string kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// A regular file, open for reading, and its size at that moment.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, EmptyFile empty) {
    if (path.empty()) throw file_error(path, "an empty file name", "a readable file");
    // The system would read the name only up to the NUL: another file.
    if (path.native().find('\0') != std::string::npos) {
      throw file_error(path, "a file name with a NUL byte", "a readable file");
    }
    // Without O_NONBLOCK a pipe would wait for a writer before it can be recognised.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) throw open_error(path, errno);
    struct stat status {};
    const bool known = fstat(descriptor_, &status) == 0;
    const int error_number = errno;
    if (known && S_ISREG(status.st_mode) && (status.st_size > 0 || empty == EmptyFile::kAllowed)) {
      size_ = static_cast<std::size_t>(status.st_size);
      return;
    }
    close(descriptor_);
    if (!known) throw open_error(path, error_number);
    if (!S_ISREG(status.st_mode)) {
      throw file_error(path, kind_of_file(status.st_mode), "a regular file");
    }
    throw file_error(path, "an empty file", "a file with content");
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace

std::string read_file_bytes(const std::filesystem::path& path, std::size_t max_bytes,
                            EmptyFile empty) {
  const OpenFile file(path, empty);
  if (file.size() > max_bytes) {
    throw file_error(path, std::to_string(file.size()) + " bytes",
                     "at most " + std::to_string(max_bytes));
  }
  std::string content(file.size(), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t got = read(file.descriptor(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw file_error(path, "a file that cannot be read (" + system_reason(errno) + ")",
                       "a readable file");
    }
    if (got == 0) {
      throw file_error(path, "the end of the file after " + std::to_string(filled) + " bytes",
                       std::to_string(content.size()) +
                           " bytes (its size when it was opened; is somebody writing it?)");
    }
    filled += static_cast<std::size_t>(got);
  }
  return content;
}

MappedFile::MappedFile(std::filesystem::path path, EmptyFile empty) : path_(std::move(path)) {
  const OpenFile file(path_, empty);
  if (file.size() == 0) return;
  void* const start = mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (start == MAP_FAILED) {
    throw file_error(path_, "a file that cannot be mapped (" + system_reason(errno) + ")",
                     "a regular file");
  }
  bytes_ = {static_cast<const std::byte*>(start), file.size()};
  // Small files are touched in place, and there may be more of them than descriptors.
  constexpr std::size_t kLarge = 1 << 20;
  if (file.size() >= kLarge) descriptor_ = fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 3);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) close(descriptor_);
}

bool MappedFile::read(std::size_t offset, std::span<std::byte> into) const {
  if (descriptor_ < 0 || offset > bytes_.size() || into.size() > bytes_.size() - offset) {
    return false;
  }
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = pread(descriptor_, into.data() + filled, into.size() - filled,
                              static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    filled += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace normcert
