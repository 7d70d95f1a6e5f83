// Square roots of many numbers of binary64 in vectors.
#pragma once

#include <cstddef>

namespace normcert {

// *Correctly rounded*, under every target of numeric/simd_target.hpp; NaN of negative numbers.
// `from` and `to` may be the same.
void square_roots(const double* from, std::size_t count, double* to);

}  // namespace normcert
