#include "inference/hypothesis_order.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace normcert {
namespace {

// Whether both are about tails of one name: a centred one is a variance.
bool same_tail(const EliminatedHypothesis& a, const EliminatedHypothesis& b) {
  return a.hypothesis.rounding == b.hypothesis.rounding &&
         a.hypothesis.weight_offset == b.hypothesis.weight_offset &&
         a.hypothesis.weight_use == b.hypothesis.weight_use &&
         a.hypothesis.residual == b.hypothesis.residual &&
         (a.hypothesis.statistic == "variance") == (b.hypothesis.statistic == "variance");
}

}  // namespace

bool comes_before(const EliminatedHypothesis& a, const EliminatedHypothesis& b) {
  if (a.status != b.status) return a.status < b.status;
  return a.least_slack < b.least_slack;
}

HypothesisStatus status_of(double slack, const SlackBounds& bounds) {
  if (slack <= bounds.known_orders) return HypothesisStatus::kSurvives;
  // Where no bound is derivable nothing is impossible but what no freedom explains.
  if (slack <= bounds.any_order && slack < std::numeric_limits<double>::infinity())
    return HypothesisStatus::kImplausible;
  return HypothesisStatus::kRefuted;
}

void merge_into(std::vector<EliminatedHypothesis>& all, EliminatedHypothesis one) {
  const auto same =
      std::ranges::find(all, one.hypothesis, [](const auto& a) -> auto& { return a.hypothesis; });
  if (same == all.end()) {
    all.push_back(std::move(one));
    return;
  }
  if (same->status == one.status && one.status != HypothesisStatus::kRefuted) {
    const auto joined = [](const EpsilonRange& a, const EpsilonRange& b) {
      return EpsilonRange{std::min(a.low, b.low), std::max(a.high, b.high)};
    };
    one.epsilon = same->epsilon = joined(same->epsilon, one.epsilon);
    one.epsilon_any_order = same->epsilon_any_order =
        joined(same->epsilon_any_order, one.epsilon_any_order);
    for (std::size_t i = 0; i < std::min(one.slack_of.size(), same->slack_of.size()); ++i) {
      const double least = std::min(one.slack_of[i].slack, same->slack_of[i].slack);
      one.slack_of[i].slack = same->slack_of[i].slack = least;
    }
    if (same->declared_refutation.kind == RefutationKind::kNone) one.declared_refutation = {};
  }
  if (comes_before(one, *same)) *same = std::move(one);
}

void put_in_order(std::vector<EliminatedHypothesis>& all) {
  // Into another list: the search needs the whole one.
  std::vector<EliminatedHypothesis> kept;
  for (const EliminatedHypothesis& one : all) {
    const bool whole_tail = one.hypothesis.placement == "any";
    const bool another_is_not = std::ranges::any_of(all, [&](const EliminatedHypothesis& other) {
      return other.hypothesis.placement != "any" && same_tail(one, other);
    });
    if (!whole_tail || !another_is_not) kept.push_back(one);
  }
  std::ranges::stable_sort(kept, comes_before);
  all = std::move(kept);
}

}  // namespace normcert
