#include "problem/tensor.hpp"

#include <utility>

namespace normcert {
namespace {

std::size_t element_bytes(const FloatFormat& format) {
  return static_cast<std::size_t>(format.storage_bytes);
}

}  // namespace

Code TensorView::at(std::size_t row, std::size_t index) const {
  return load_code(*format, bytes.data(), row * width + index);
}

std::span<const std::byte> TensorView::row_bytes(std::size_t row) const {
  const std::size_t size = width * element_bytes(*format);
  return bytes.subspan(row * size, size);
}

TensorView TensorView::rows_from(std::size_t first, std::size_t count) const {
  const std::size_t size = width * element_bytes(*format);
  return {.format = format,
          .rows = count,
          .width = width,
          .bytes = bytes.subspan(first * size, count * size),
          .shape = {count, width},
          .owner = owner,
          .source = source,
          .source_offset = source_offset + first * size};
}

Tensor::Tensor(const FloatFormat& tensor_format, std::size_t row_count, std::size_t row_width)
    : format(&tensor_format),
      rows(row_count),
      width(row_width),
      bytes(row_count * row_width * element_bytes(tensor_format)) {}

Code Tensor::at(std::size_t row, std::size_t index) const {
  return load_code(*format, bytes.data(), row * width + index);
}

void Tensor::set(std::size_t row, std::size_t index, Code code) {
  store_code(code, bytes.data(), row * width + index);
}

TensorView Tensor::share() && {
  auto owned = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> span(*owned);
  return {.format = format,
          .rows = rows,
          .width = width,
          .bytes = span,
          .shape = {rows, width},
          .owner = std::move(owned)};
}

TensorView Tensor::view() const {
  return {.format = format,
          .rows = rows,
          .width = width,
          .bytes = bytes,
          .shape = {rows, width},
          .owner = {}};
}

}  // namespace normcert
