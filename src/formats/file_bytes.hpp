// Files in: the whole content of a regular file in memory, or mapped. A folder, a pipe, a device or
// a file that cannot be read is a located InputError; nothing here waits for a pipe's other end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "formats/look_alike.hpp"
#include "problem/tensor.hpp"

namespace normcert {

enum class EmptyFile : bool { kRefused, kAllowed };

// Throws where the file is larger than `max_bytes`, or shorter at its end than it was when opened.
[[nodiscard]] std::string read_file_bytes(const std::filesystem::path& path, std::size_t max_bytes,
                                          EmptyFile empty = EmptyFile::kRefused);

// A regular file mapped read-only. The content is whatever stands in the file: lengths and offsets
// found in it must be checked against bytes().size(). If another process shortens the file while it
// is mapped, the system ends the program with SIGBUS.
class MappedFile : public ByteSource {
 public:
  explicit MappedFile(std::filesystem::path path, EmptyFile empty = EmptyFile::kRefused);
  ~MappedFile() override;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Of large files; false for small ones and past the end.
  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into) const override;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  int descriptor_ = -1;  // of a large file
};

}  // namespace normcert
