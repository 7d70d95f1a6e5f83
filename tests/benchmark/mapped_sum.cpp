#include "mapped_sum.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
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

class OpenFile {
 public:
  explicit OpenFile(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) throw error(path);
    size_ = static_cast<std::size_t>(status.st_size);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

// `sum(at, n)` of n bytes from `at` on, one stretch for each thread.
template <typename Sum>
FileSum sum_in_stretches(std::size_t size, unsigned threads, const Sum& sum) {
  const std::size_t words = size / sizeof(std::uint64_t);
  std::vector<std::uint64_t> sums(threads);
  const auto stretch = [&](unsigned i) {
    const std::size_t first = words * i / threads;
    const std::size_t end = words * (i + 1) / threads;
    sums[i] = sum(first * sizeof(std::uint64_t), (end - first) * sizeof(std::uint64_t));
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(stretch, i);
    stretch(0);
  }
  FileSum result{.sum = 0, .bytes = size};
  for (const std::uint64_t one : sums) result.sum += one;
  return result;
}

}  // namespace

FileSum sum_of_mapped_file(const char* path, unsigned threads) {
  const OpenFile file(path);
  void* mapped = mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (mapped == MAP_FAILED) throw error(path);
  const auto* bytes = static_cast<const std::byte*>(mapped);
  const FileSum result = sum_in_stretches(file.size(), threads, [&](std::size_t at, std::size_t n) {
    return sum_of(bytes + at, n / sizeof(std::uint64_t));
  });
  munmap(mapped, file.size());
  return result;
}

FileSum sum_of_read_file(const char* path, unsigned threads) {
  constexpr std::size_t kBlock = std::size_t{1} << 19;
  const OpenFile file(path);
  return sum_in_stretches(file.size(), threads, [&](std::size_t at, std::size_t n) {
    // One large page, as `verify` reads into: small ones cost more than the copying.
    constexpr std::size_t kPage = std::size_t{1} << 21;
    const std::unique_ptr<std::byte, decltype(&std::free)> block(
        static_cast<std::byte*>(std::aligned_alloc(kPage, kPage)), &std::free);
    if (block == nullptr) throw std::bad_alloc();
    madvise(block.get(), kPage, MADV_HUGEPAGE);
    std::uint64_t sum = 0;
    for (std::size_t done = 0; done < n;) {
      const std::size_t part = std::min(kBlock, n - done);
      const ssize_t got =
          pread(file.descriptor(), block.get(), part, static_cast<off_t>(at + done));
      if (got != static_cast<ssize_t>(part)) throw error(path);
      sum += sum_of(block.get(), part / sizeof(std::uint64_t));
      done += part;
    }
    return sum;
  });
}

}  // namespace normcert
