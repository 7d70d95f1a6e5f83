// Elements of a tensor as binary32 or binary64 numbers, many at a time. Exact; NaN stays NaN and
// infinities stay infinities.
#pragma once

#include <cstddef>

#include "numeric/float_format.hpp"

namespace normcert {

// Requires a format of at most 24 significant bits and binary32's range: all but fp64.
void widen(const FloatFormat& format, const std::byte* bytes, std::size_t count, float* into);
// Every format.
void widen(const FloatFormat& format, const std::byte* bytes, std::size_t count, double* into);

}  // namespace normcert
