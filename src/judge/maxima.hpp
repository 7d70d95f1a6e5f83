// The last step of a search for maxima: what is left is measured to 256 bits.
#pragma once

#include "judge/comparison.hpp"
#include "judge/exact_compare.hpp"
#include "problem/case.hpp"

namespace normcert {

// Measures every contender of `found` and clears the searches; equal operands in rows of
// equal magnitudes are measured once. Afterwards absolute, relative and ulp hold the maxima.
void settle_maxima(const Case& value, OutputTensor tensor, Comparison& found);

// The same where so many contenders have come together that they would need memory (errors that are
// all alike): the maxima found so far are kept, the search may go on.
void settle_if_many(const Case& value, OutputTensor tensor, Comparison& found);

}  // namespace normcert
