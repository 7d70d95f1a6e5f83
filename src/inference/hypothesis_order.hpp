// Statuses of hypotheses, and the order in which they are listed.
#pragma once

#include <vector>

#include "inference/elimination.hpp"
#include "inference/slack_bounds.hpp"

namespace normcert {

[[nodiscard]] HypothesisStatus status_of(double slack, const SlackBounds& bounds);

// By status, then by least slack.
[[nodiscard]] bool comes_before(const EliminatedHypothesis& a, const EliminatedHypothesis& b);

// Of hypotheses that are called alike (other associations, other formats of epsilon) the best
// stands for all; epsilon may be what any of them allows.
void merge_into(std::vector<EliminatedHypothesis>& all, EliminatedHypothesis one);

// Sorts. What refutes a whole tail is dropped where another association of
// that name is not refuted.
void put_in_order(std::vector<EliminatedHypothesis>& all);

}  // namespace normcert
