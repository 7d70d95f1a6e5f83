// The yardsticks of a scan: a file is mapped, or read in blocks, and its bytes are summed as words
// of 8 bytes.
#pragma once

#include <cstdint>

namespace normcert {

struct FileSum {
  std::uint64_t sum = 0;
  std::uint64_t bytes = 0;
};

// Each thread sums one stretch of the file. Throws std::system_error where it cannot be mapped.
[[nodiscard]] FileSum sum_of_mapped_file(const char* path, unsigned threads);
// The same of a file that each thread reads into 512 KiB of its own, block by block.
[[nodiscard]] FileSum sum_of_read_file(const char* path, unsigned threads);

}  // namespace normcert
