#include "judge/rounded_bits.hpp"

namespace normcert {

void RoundedBits::count(const TensorView& got, std::size_t row, Comparison& after) const {
  std::uint64_t same =
      (after.correctly_rounded - correctly_rounded_) - (after.zero_sign_differs - other_zeros_);
  if (after.rows_set_apart > rows_set_apart_) {
    // Such a row has no exact result; reference.rounded gives NaN.
    same = 0;
    for (std::size_t i = 0; i < got.width; ++i) same += is_nan(got.at(row, i)) ? 1 : 0;
  }
  after.rounded_bits += same;
  if (same < got.width && !after.first_row_not_rounded) after.first_row_not_rounded = row;
}

}  // namespace normcert
