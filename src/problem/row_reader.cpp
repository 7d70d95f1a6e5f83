#include "problem/row_reader.hpp"

#include <algorithm>
#include <stdexcept>

#include "numeric/widen.hpp"

namespace normcert {

RowReader::RowReader(const TensorView& tensor) : tensor_(tensor) {
  if (is_made(tensor)) {
    made_.resize(tensor.width * static_cast<std::size_t>(tensor.format->storage_bytes));
  }
}

std::span<const std::byte> RowReader::row(std::size_t row) { return part(row, 0, tensor_.width); }

std::span<const std::byte> RowReader::part(std::size_t row, std::size_t first, std::size_t count) {
  const auto element = static_cast<std::size_t>(tensor_.format->storage_bytes);
  if (made_.empty()) return tensor_.row_bytes(row).subspan(first * element, count * element);
  const std::span<std::byte> made = std::span(made_).first(count * element);
  const std::size_t offset = (row * tensor_.width + first) * element;
  if (!tensor_.source->read(tensor_.source_offset + offset, made)) {
    throw std::runtime_error("a row cannot be read");
  }
  return made;
}

void RowReader::widened(std::size_t row, std::span<double> into) {
  widen(*tensor_.format, this->row(row).data(), into.size(), into.data());
}

TensorView held(const TensorView& tensor) {
  if (!is_made(tensor)) return tensor;
  TensorView all = tensor.rows_from(0, tensor.rows);
  all.shape = tensor.shape;
  return all;
}

bool same_rows(const TensorView& a, const TensorView& b, std::size_t first, std::size_t count) {
  RowReader of_a(a);
  RowReader of_b(b);
  for (std::size_t row = first; row < first + count; ++row) {
    if (!std::ranges::equal(of_a.row(row), of_b.row(row))) return false;
  }
  return true;
}

}  // namespace normcert
