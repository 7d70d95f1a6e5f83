// An element of a row as it stands in a proof.
#include <cmath>

#include "inference/preimage.hpp"
#include "inference/row_scan.hpp"

namespace normcert {

ElementWitness RowScanner::witness(const Tail& tail, std::size_t index, bool low_end) {
  const ScalarInterval asked = element(tail, index);
  ElementWitness witness;
  witness.row = facts_.row;
  witness.index = index;
  witness.x = x_[index];
  witness.residual = residual_.empty() ? 0 : residual_[index];
  witness.weight = weight_[index];
  witness.gain = list_.gains[tail.gain].values[index];
  witness.got = got_[index];
  witness.scalar_low = asked.low;
  witness.scalar_high = asked.high;
  const double magnitude = std::fabs(got_[index]);
  if (!std::isfinite(magnitude) || magnitude == 0 || asked.empty()) return witness;
  if (tail.shape == TailShape::kProduct) {
    const Preimage wanted = preimage(magnitude, y_grid_, tail.truncates);
    witness.tie = std::copysign(low_end ? wanted.low : wanted.high, witness.got);
    witness.other =
        std::copysign(low_end ? y_grid_.previous(magnitude) : y_grid_.next(magnitude), witness.got);
    return witness;
  }
  const FloatGrid& middle = grid_of(*tail.middle);
  const bool swapped = tail.shape == TailShape::kGainFirst;
  const double factor = swapped ? numerator(tail.numerator)[index] : witness.gain;
  const MiddleNumbers numbers = middle_numbers(tail, magnitude, std::fabs(factor));
  const double beyond = low_end ? middle.previous(numbers.first) : middle.next(numbers.last);
  const double tie =
      low_end ? middle.midpoint_below(numbers.first) : middle.midpoint_above(numbers.last);
  witness.tie = std::copysign(tie, std::signbit(factor) ? -witness.got : witness.got);
  witness.other = std::copysign(y_grid_.nearest(beyond * std::fabs(factor)), witness.got);
  return witness;
}

}  // namespace normcert
