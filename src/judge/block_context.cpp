// What blocks know of each other (judge/certified_compare.hpp).
#include <algorithm>

#include "judge/certified_compare.hpp"

namespace normcert {

void KnownErrors::raise(const Comparison& found) {
  floors.raise(found);
  if (found.coherent.any) coherent = std::max(coherent, found.coherent.value);
  if (found.incoherent.any) incoherent = std::max(incoherent, found.incoherent.value);
}

RowImage RowImage::of(const Case& value, const TensorView& got, std::size_t row) {
  RowImage image{value.x.row_bytes(row), {}, got.row_bytes(row)};
  if (value.residual) image.residual = value.residual->row_bytes(row);
  return image;
}

bool RowImage::repeats(const RowImage& other) const {
  return std::ranges::equal(x, other.x) && std::ranges::equal(residual, other.residual) &&
         std::ranges::equal(got, other.got);
}

}  // namespace normcert
