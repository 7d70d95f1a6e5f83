// The fast twin of compare_exactly: a binary64 evaluation with a proven bound, then one in
// double-double arithmetic, answers every question that its interval answers alike; integers answer
// the rest.
#pragma once

#include "judge/exact_compare.hpp"

namespace normcert {

// The same value as compare_exactly() but for the certificate's counts, and for the shares of the
// rows' errors, which agree to the digits that are shown.
[[nodiscard]] Comparison compare_certified(const Case& value, OutputTensor tensor,
                                           const TensorView& got, const Criteria& criteria,
                                           std::size_t first, std::size_t count);

}  // namespace normcert
