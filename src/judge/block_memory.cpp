#include "judge/block_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace normcert {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAlignment = 64;

std::shared_ptr<std::byte> huge_page() {
  void* const start = std::aligned_alloc(kHugePage, kHugePage);
  if (start == nullptr) throw std::bad_alloc();
  (void)madvise(start, kHugePage, MADV_HUGEPAGE);  // advice: without it pages come one by one
  return {static_cast<std::byte*>(start), [](std::byte* bytes) { std::free(bytes); }};
}

class BlockMemory {
 public:
  std::shared_ptr<std::byte[]> take(std::size_t size) {
    for (const Buffer& buffer : buffers_) {
      if (buffer.bytes.use_count() == 1 && buffer.size >= size) return buffer.bytes;
    }
    std::erase_if(buffers_, [](const Buffer& buffer) { return buffer.bytes.use_count() == 1; });
    if (buffers_.empty()) used_ = 0;
    // A little more, so that the next block, which may come with the row before it, fits too.
    const std::size_t capacity = (size + size / 8 + kAlignment - 1) / kAlignment * kAlignment;
    buffers_.push_back({bytes_of(capacity), capacity});
    return buffers_.back().bytes;
  }

 private:
  struct Buffer {
    std::shared_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  std::shared_ptr<std::byte[]> bytes_of(std::size_t capacity) {
    if (capacity > kHugePage - used_) {
      return std::shared_ptr<std::byte[]>(new std::byte[capacity]);
    }
    if (!page_) page_ = huge_page();
    std::byte* const start = page_.get() + used_;
    used_ += capacity;
    return {start, [page = page_](std::byte*) {}};
  }

  std::vector<Buffer> buffers_;
  std::shared_ptr<std::byte> page_;
  std::size_t used_ = 0;
};

}  // namespace

std::shared_ptr<std::byte[]> block_memory(std::size_t size) {
  thread_local BlockMemory memory;
  return memory.take(size);
}

}  // namespace normcert
