// Tensors that were stored in a wider format than they were computed in: a dump of bfloat16 values
// as float32 holds nothing but bfloat16 values, and its port is to be judged in that format.
#pragma once

#include <cstddef>
#include <span>

#include "problem/tensor.hpp"

namespace normcert {

// Fewer distinct significands say nothing: small integers and powers of two fit every format.
inline constexpr std::size_t kLeastSignificands = 32;

// bf16, else fp16, where every finite element of a binary32 tensor is a number of it and the
// elements show at least kLeastSignificands different significands; else nullptr. Reads up to the
// first element that fits neither.
[[nodiscard]] const FloatFormat* narrower_format_of(const TensorView& tensor);

// Densely packed elements in another format, each rounded once.
void convert_elements(const FloatFormat& from, std::span<const std::byte> bytes,
                      const FloatFormat& to, std::span<std::byte> into);

// The tensor in another format, each element rounded once: exact for narrower_format_of(). Rows are
// converted when they are asked for, so it takes no memory (problem/row_reader.hpp).
[[nodiscard]] TensorView stored_as(const TensorView& tensor, const FloatFormat& format);

}  // namespace normcert
