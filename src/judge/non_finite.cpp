#include "judge/non_finite.hpp"

#include "judge/exact_compare.hpp"

namespace normcert {

void name_first_of_another_kind(const Case& value, OutputTensor tensor, const TensorView& got,
                                std::size_t row, Comparison& into) {
  if (into.non_finite.disagree == 0 || into.non_finite.first) return;
  const ExactRow exact_row(value, row);
  for (std::size_t i = 0; i < got.width; ++i) {
    const Code found = got.at(row, i);
    const Code rounded = exact_output(exact_row, tensor, i).rounded(*got.format);
    const bool same_kind = is_finite(found) ? is_finite(rounded) : same_bits(found, rounded);
    if (same_kind) continue;
    into.non_finite.first = KindWitness{row, i, found, rounded};
    return;
  }
}

}  // namespace normcert
