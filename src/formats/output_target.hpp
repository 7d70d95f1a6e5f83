// What an output path leads to: a file that is made or replaced, or something that is written
// through (a pipe, a device, an open descriptor).
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "problem/error.hpp"

namespace normcert {

struct OutputTarget {
  enum class Kind { kNewFile, kExistingFile, kSpecialFile, kDescriptor };
  Kind kind = Kind::kNewFile;
  std::filesystem::path path{};  // symbolic links followed
  mode_t permissions = 0;        // of an existing file
  int descriptor = -1;           // of /dev/stdout, /dev/fd/N, /proc/self/fd/N

  [[nodiscard]] bool is_written_through() const {
    return kind == Kind::kSpecialFile || kind == Kind::kDescriptor;
  }
  // Of the temporary: the folder that will hold the file.
  [[nodiscard]] std::filesystem::path folder() const;
};

// Throws where no file can be written: an empty name, a folder, no such folder, no permission.
[[nodiscard]] OutputTarget find_output_target(const std::filesystem::path& path);

// "x.json: found a file that cannot be written (No space left on device), expected ..."
[[nodiscard]] InputError output_error(const std::filesystem::path& path, int error_number);

}  // namespace normcert
