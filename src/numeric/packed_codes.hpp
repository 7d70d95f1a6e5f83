// Codes in memory: densely packed elements of one format, little endian, at any address.
#pragma once

#include <cstddef>

#include "numeric/code.hpp"

namespace normcert {

// The code at element `index` of densely packed elements of `format`.
[[nodiscard]] Code load_code(const FloatFormat& format, const std::byte* bytes, std::size_t index);
void store_code(Code code, std::byte* bytes, std::size_t index);

}  // namespace normcert
