#include "mapped_sum.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace normcert {
namespace {

// Eight sums at a time: one alone would wait for each addition.
std::uint64_t sum_of(const std::byte* from, std::size_t words) {
  constexpr std::size_t kSums = 8;
  std::uint64_t sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= words; i += kSums) {
    std::uint64_t part[kSums];
    std::memcpy(part, from + i * sizeof(std::uint64_t), sizeof part);
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += part[k];
  }
  std::uint64_t sum = 0;
  for (; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    sum += word;
  }
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

std::system_error error(const char* path) {
  return {std::error_code(errno, std::generic_category()), path};
}

}  // namespace

MappedSum sum_of_mapped_file(const char* path, unsigned threads) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) throw error(path);
  struct stat status {};
  if (fstat(file, &status) != 0) throw error(path);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) throw error(path);
  const auto* bytes = static_cast<const std::byte*>(mapped);

  const std::size_t words = size / sizeof(std::uint64_t);
  std::vector<std::uint64_t> sums(threads);
  const auto stretch = [&](unsigned i) {
    const std::size_t first = words * i / threads;
    const std::size_t end = words * (i + 1) / threads;
    sums[i] = sum_of(bytes + first * sizeof(std::uint64_t), end - first);
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(stretch, i);
    stretch(0);
  }
  MappedSum result{.sum = 0, .bytes = size};
  for (const std::uint64_t sum : sums) result.sum += sum;
  munmap(mapped, size);
  return result;
}

}  // namespace normcert
