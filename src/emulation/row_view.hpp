// One row of a tensor as its bytes: what emulation reads.
#pragma once

#include <cstddef>
#include <span>

#include "numeric/code.hpp"
#include "problem/tensor.hpp"

namespace normcert {

struct RowView {
  const FloatFormat* format = &kFp64;
  std::span<const std::byte> bytes;  // densely packed elements, little endian

  [[nodiscard]] std::size_t size() const {
    return bytes.size() / static_cast<std::size_t>(format->storage_bytes);
  }
  [[nodiscard]] Code at(std::size_t index) const { return load_code(*format, bytes.data(), index); }
  [[nodiscard]] RowView part(std::size_t first, std::size_t count) const {
    const auto element = static_cast<std::size_t>(format->storage_bytes);
    return {format, bytes.subspan(first * element, count * element)};
  }
};

}  // namespace normcert
