// The yardstick of a scan: a file is mapped and its bytes are summed as words of 8 bytes.
#pragma once

#include <cstdint>

namespace normcert {

struct MappedSum {
  std::uint64_t sum = 0;
  std::uint64_t bytes = 0;
};

// Each thread sums one stretch of the file. Throws std::system_error where it cannot be mapped.
[[nodiscard]] MappedSum sum_of_mapped_file(const char* path, unsigned threads);

}  // namespace normcert
