// The rows of a tensor one at a time, of a view whose bytes are at hand as of one whose source
// makes them when they are asked for (TensorView::bytes is empty then): what reads rows through
// this needs one row of memory, however many there are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "problem/tensor.hpp"

namespace normcert {

// Whether the tensor's bytes have to be made.
[[nodiscard]] inline bool is_made(const TensorView& tensor) {
  return tensor.bytes.empty() && tensor.source != nullptr && tensor.size() > 0;
}

class RowReader {
 public:
  // The tensor must outlive it.
  explicit RowReader(const TensorView& tensor);

  // The bytes of one row, until the next is asked for. Throws std::runtime_error where a source
  // does not have them.
  [[nodiscard]] std::span<const std::byte> row(std::size_t row);
  // Of elements first .. first + count - 1 alone.
  [[nodiscard]] std::span<const std::byte> part(std::size_t row, std::size_t first,
                                                std::size_t count);
  // The row's elements, exactly; NaN stays NaN. Requires as many as the tensor is wide.
  void widened(std::size_t row, std::span<double> into);

 private:
  const TensorView& tensor_;
  std::vector<std::byte> made_;
};

// The same tensor with its bytes at hand: all of them, where they have to be made.
[[nodiscard]] TensorView held(const TensorView& tensor);

// Whether rows first .. first + count - 1 are the same bytes in both, which are of one format and
// width.
[[nodiscard]] bool same_rows(const TensorView& a, const TensorView& b, std::size_t first,
                             std::size_t count);

}  // namespace normcert
