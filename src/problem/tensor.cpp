#include "problem/tensor.hpp"

#include <stdexcept>
#include <utility>

#include "problem/row_reader.hpp"

namespace normcert {
namespace {

std::size_t element_bytes(const FloatFormat& format) {
  return static_cast<std::size_t>(format.storage_bytes);
}

TensorView made_rows(const TensorView& tensor, std::size_t offset, std::size_t count) {
  Tensor rows(*tensor.format, count, tensor.width);
  if (!tensor.source->read(tensor.source_offset + offset, rows.bytes)) {
    throw std::runtime_error("rows cannot be read");
  }
  return std::move(rows).share();
}

}  // namespace

Code TensorView::at(std::size_t row, std::size_t index) const {
  if (!is_made(*this)) return load_code(*format, bytes.data(), row * width + index);
  return load_code(*format, RowReader(*this).part(row, index, 1).data(), 0);
}

std::span<const std::byte> TensorView::row_bytes(std::size_t row) const {
  if (is_made(*this)) throw std::logic_error("rows that are made have no bytes of their own");
  const std::size_t size = width * element_bytes(*format);
  return bytes.subspan(row * size, size);
}

TensorView TensorView::rows_from(std::size_t first, std::size_t count) const {
  const std::size_t size = width * element_bytes(*format);
  if (is_made(*this)) return made_rows(*this, first * size, count);
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
