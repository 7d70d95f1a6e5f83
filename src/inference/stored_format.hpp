// Tensors that were stored in a wider format than they were computed in: a dump of bfloat16 values
// as float32 holds nothing but bfloat16 values, and its port is to be judged in that format.
#pragma once

#include <cstddef>
#include <span>

#include "problem/tensor.hpp"

namespace normcert {

// Fewer distinct significands say nothing: small integers and powers of two fit every format.
inline constexpr std::size_t kLeastSignificands = 32;

// Which narrower formats have every finite element of a binary32 tensor (of a tensor in another
// format: none). That is Exact; that the tensor was computed in one of them is not, and the fewer
// significands there are the less it is.
struct NarrowerFormats {
  bool bf16 = false;
  bool fp16 = false;
  std::size_t significands = 0;  // different ones; 0 where neither format fits

  [[nodiscard]] bool any() const { return bf16 || fp16; }
  [[nodiscard]] bool fits(const FloatFormat& format) const {
    return (bf16 && format == kBf16) || (fp16 && format == kFp16);
  }
  // Enough of them for the format to be believed.
  [[nodiscard]] bool shows() const { return significands >= kLeastSignificands; }
};

// Reads up to the first element that fits neither.
[[nodiscard]] NarrowerFormats narrower_formats_of(const TensorView& tensor);

// bf16, else fp16, where it fits and the elements show it; else nullptr.
[[nodiscard]] const FloatFormat* narrower_format_of(const TensorView& tensor);

// Densely packed elements in another format, each rounded once; what becomes of a NaN's sign and
// payload is left open.
void convert_elements(const FloatFormat& from, std::span<const std::byte> bytes,
                      const FloatFormat& to, std::span<std::byte> into);

// The tensor in another format, each element rounded once: exact for narrower_format_of(). Rows are
// converted when they are asked for, so it takes no memory (problem/row_reader.hpp).
[[nodiscard]] TensorView stored_as(const TensorView& tensor, const FloatFormat& format);

}  // namespace normcert
