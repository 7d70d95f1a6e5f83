// Tensors of floating-point codes: rows x width elements of one format, little endian, densely
// packed. A view shares its bytes with whoever owns them (a mapped file, a Tensor); a Tensor is
// where new elements are written.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "numeric/packed_codes.hpp"

namespace normcert {

// Where the bytes of a view can be had as a copy, a mapped file: reading a stretch into memory that
// is used again takes a fraction of the time that its page faults would.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // The bytes from `offset` on; false where they cannot be had, so that the view itself is asked.
  [[nodiscard]] virtual bool read(std::size_t offset, std::span<std::byte> into) const = 0;
};

struct TensorView {
  const FloatFormat* format = &kFp64;
  std::size_t rows = 0;
  std::size_t width = 0;                // elements per row
  std::span<const std::byte> bytes{};   // all of the elements, or none: `source` makes them then
  std::vector<std::size_t> shape{};     // as it stands in the file; its product is rows * width
  std::shared_ptr<const void> owner{};  // keeps the bytes alive; may be empty
  std::shared_ptr<const ByteSource> source{};  // has the same bytes; may be empty
  std::size_t source_offset = 0;               // of `bytes` in it

  [[nodiscard]] std::size_t size() const { return rows * width; }
  [[nodiscard]] Code at(std::size_t row, std::size_t index) const;
  // The bytes of one row. Throws std::logic_error where they are made (problem/row_reader.hpp).
  [[nodiscard]] std::span<const std::byte> row_bytes(std::size_t row) const;
  // Rows first .. first + count - 1 of this tensor.
  [[nodiscard]] TensorView rows_from(std::size_t first, std::size_t count) const;
};

struct Tensor {
  const FloatFormat* format = &kFp64;
  std::size_t rows = 0;
  std::size_t width = 0;
  std::vector<std::byte> bytes{};

  Tensor() = default;
  Tensor(const FloatFormat& tensor_format, std::size_t row_count, std::size_t row_width);
  [[nodiscard]] Code at(std::size_t row, std::size_t index) const;
  void set(std::size_t row, std::size_t index, Code code);  // requires the tensor's format
  // A view that owns the elements; the tensor is used up.
  [[nodiscard]] TensorView share() &&;
  // A view of this tensor, valid while it lives and is not resized.
  [[nodiscard]] TensorView view() const;
};

}  // namespace normcert
