#include "formats/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "formats/file_error.hpp"
#include "formats/output_target.hpp"
#include "formats/write_all.hpp"

namespace normcert {
namespace {

// Returns 0 or an errno.
int write_through(const OutputTarget& target, std::string_view content) {
  if (target.kind == OutputTarget::Kind::kDescriptor) return write_all(target.descriptor, content);
  const int descriptor = open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return errno;
  const int failed = write_all(descriptor, content);
  return close(descriptor) != 0 && failed == 0 ? errno : failed;
}

// On the disk before the name changes: after a crash the name leads to the old or the new content.
int fill_temporary(int descriptor, const OutputTarget& target, std::string_view content) {
  int failed = write_all(descriptor, content);
  const bool replaces = target.kind == OutputTarget::Kind::kExistingFile;
  if (failed == 0 && replaces && fchmod(descriptor, target.permissions) != 0) failed = errno;
  if (failed == 0 && fsync(descriptor) != 0) failed = errno;
  if (close(descriptor) != 0 && failed == 0) failed = errno;
  return failed;
}

// The new name too. Some file systems cannot do that for a folder; the rename itself is done then.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

// A filled file in the target's folder under a name of its own; gone with this object unless
// renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& given, const OutputTarget& target,
                std::string_view content) {
    const int failed = fill_temporary(create(given, target), target, content);
    if (failed == 0) return;
    remove();
    throw output_error(given, failed);
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Returns 0 or an errno.
  int rename_to(const std::filesystem::path& target) {
    if (rename(path_.c_str(), target.c_str()) != 0) return errno;
    release();
    return 0;
  }

 private:
  int create(const std::filesystem::path& given, const OutputTarget& target) {
    static std::atomic<unsigned> created{0};
    constexpr int kMostAttempts = 1000;  // names left behind by a process of the same number
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      path_ = target.folder() / (".normcert-" + std::to_string(getpid()) + "-" +
                                 std::to_string(created.fetch_add(1)) + ".tmp");
      // Registered first: a signal between the two must not leave a file that nobody knows.
      slot_ = register_temporary(path_.native());
      if (!slot_) throw file_error(given, "more than 64 open reports", "fewer");
      const int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return descriptor;
      const int error_number = errno;
      release();
      if (error_number != EEXIST) throw output_error(given, error_number);
    }
    throw output_error(given, EEXIST);
  }

  void remove() {
    if (!slot_) return;
    unlink(path_.c_str());
    release();
  }

  void release() {
    if (slot_) release_temporary(*slot_);
    slot_.reset();
  }

  std::filesystem::path path_;
  std::optional<std::size_t> slot_;  // in the registry; none once there is no such file
};

}  // namespace

struct PendingFiles::Entry {
  std::filesystem::path given;
  OutputTarget target;
  std::string content;                       // of what is written through
  std::unique_ptr<TemporaryFile> temporary;  // of what is renamed
};

PendingFiles::PendingFiles() = default;
PendingFiles::~PendingFiles() = default;

void PendingFiles::add(const std::filesystem::path& path, std::string_view content) {
  Entry entry{path, find_output_target(path), "", nullptr};
  if (entry.target.is_written_through()) {
    entry.content = content;
  } else {
    entry.temporary = std::make_unique<TemporaryFile>(path, entry.target, content);
  }
  entries_.push_back(std::move(entry));
}

void PendingFiles::write_through() {
  for (const Entry& entry : entries_) {
    if (!entry.target.is_written_through()) continue;
    if (const int failed = normcert::write_through(entry.target, entry.content); failed != 0) {
      throw output_error(entry.given, failed);
    }
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.target.is_written_through(); });
}

void PendingFiles::commit() {
  write_through();
  for (const Entry& entry : entries_) {
    if (const int failed = entry.temporary->rename_to(entry.target.path); failed != 0) {
      throw output_error(entry.given, failed);
    }
    sync_folder(entry.target.folder());
  }
  entries_.clear();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  PendingFiles file;
  file.add(path, content);
  file.commit();
}

void check_output_path(const std::filesystem::path& path, std::string_view option) {
  try {
    static_cast<void>(find_output_target(path));
  } catch (const InputError& error) {
    ErrorParts parts = error.parts();
    parts.place = option;
    throw InputError(std::move(parts));
  }
}

}  // namespace normcert
