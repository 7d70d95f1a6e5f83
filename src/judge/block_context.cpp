// What blocks know of each other (judge/certified_compare.hpp).
#include <algorithm>
#include <cstring>

#include "judge/certified_compare.hpp"

namespace normcert {
namespace {

// Many bytes at a time, which std::ranges::equal does not compare.
bool are_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

void KnownErrors::raise(const Comparison& found) {
  floors.raise(found);
  if (found.coherent.any) coherent = std::max(coherent, found.coherent.value);
  if (found.incoherent.any) incoherent = std::max(incoherent, found.incoherent.value);
}

RowImage RowImage::of(const Case& value, const TensorView& got, std::size_t row) {
  RowImage image{value.x.row_bytes(row), {}, {}, got.row_bytes(row)};
  if (value.residual) image.residual = value.residual->row_bytes(row);
  if (value.gate) image.gate = value.gate->values.row_bytes(row);
  return image;
}

bool RowImage::repeats(const RowImage& other) const {
  return are_equal(x, other.x) && are_equal(residual, other.residual) &&
         are_equal(gate, other.gate) && are_equal(got, other.got);
}

}  // namespace normcert
