#include "formats/output_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "formats/file_error.hpp"

namespace normcert {
namespace {

constexpr int kMostLinks = 40;  // as the kernel

// N of /dev/fd/N and /proc/self/fd/N, where /dev/stdout leads too.
std::optional<int> descriptor_of(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().string();
  if (folder != "/proc/self/fd" && folder != "/dev/fd") return std::nullopt;
  const std::string name = path.filename().string();
  int descriptor = -1;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), descriptor);
  const bool whole = read.ec == std::errc() && read.ptr == name.data() + name.size();
  if (!whole || descriptor < 0) return std::nullopt;
  return descriptor;
}

// Follows the links of the last component up to a descriptor or to what is no link.
std::filesystem::path follow_links(const std::filesystem::path& given) {
  std::filesystem::path path = given;
  for (int links = 0; links < kMostLinks && !descriptor_of(path); ++links) {
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(path, no_link);
    if (no_link) return path;
    path = path.parent_path() / next;  // an absolute `next` replaces the rest
  }
  if (descriptor_of(path)) return path;
  throw output_error(given, ELOOP);
}

void require_permission(const std::filesystem::path& given, const std::filesystem::path& path,
                        int permission) {
  if (faccessat(AT_FDCWD, path.c_str(), permission, AT_EACCESS) != 0)
    throw output_error(given, errno);
}

void require_folder(const std::filesystem::path& given, const std::filesystem::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw output_error(given, errno);
    throw file_error(given, "no folder " + folder.string(), "an existing folder for the file");
  }
  if (!S_ISDIR(status.st_mode)) {
    throw file_error(given, "the file " + folder.string(), "a folder in its place");
  }
  require_permission(given, folder, W_OK | X_OK);
}

}  // namespace

std::filesystem::path OutputTarget::folder() const {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? std::filesystem::path(".") : parent;
}

OutputTarget find_output_target(const std::filesystem::path& path) {
  if (path.empty()) throw file_error(path, "an empty file name", "a file name");
  if (path.native().find('\0') != std::string::npos) {
    throw file_error(path, "a file name with a NUL byte", "a file name");
  }
  OutputTarget target;
  target.path = follow_links(path);
  if (const auto descriptor = descriptor_of(target.path)) {
    if (fcntl(*descriptor, F_GETFD) < 0) throw output_error(path, errno);
    target.kind = OutputTarget::Kind::kDescriptor;
    target.descriptor = *descriptor;
    return target;
  }
  struct stat status {};
  if (stat(target.path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw output_error(path, errno);
    if (!target.path.has_filename()) throw file_error(path, "a folder's name", "a file name");
    require_folder(path, target.folder());
    return target;
  }
  if (S_ISDIR(status.st_mode)) throw file_error(path, "a folder", "a file name");
  require_permission(path, target.path, W_OK);
  target.kind = OutputTarget::Kind::kSpecialFile;
  if (S_ISREG(status.st_mode)) {
    require_folder(path, target.folder());
    target.kind = OutputTarget::Kind::kExistingFile;
    target.permissions = status.st_mode & 0777;
  }
  return target;
}

InputError output_error(const std::filesystem::path& path, int error_number) {
  return file_error(path, "a path that cannot be written (" + system_reason(error_number) + ")",
                    "a writable file");
}

}  // namespace normcert
