// Where outputs first are not of the kind of the exact result: NaN or an infinity for a finite one.
#pragma once

#include <cstddef>

#include "judge/comparison.hpp"
#include "judge/exact_compare.hpp"
#include "problem/case.hpp"
#include "reference/exact_row.hpp"

namespace normcert {

// To be called after each row in ascending order: names its first such element where `into` has
// counted some and names none. Exact.
void name_first_of_another_kind(const Case& value, OutputTensor tensor, const TensorView& got,
                                std::size_t row, Comparison& into);

}  // namespace normcert
