#include "inference/view_elimination.hpp"

#include <algorithm>
#include <utility>

#include "inference/hypothesis_judge.hpp"
#include "inference/hypothesis_order.hpp"
#include "inference/site_scan.hpp"

namespace normcert {
namespace {

// For which most views are refuted.
constexpr std::size_t kFirstRows = 12;

bool any_survives(const std::vector<EliminatedHypothesis>& list) {
  return std::ranges::any_of(
      list, [](const auto& one) { return one.status == HypothesisStatus::kSurvives; });
}

// Where a group is a norm of its own there is no other width to divide by.
bool has_meaning(const EliminatedHypothesis& one, const InputView& view) {
  const std::string& statistic = one.hypothesis.statistic;
  return view.group == 0 || !(statistic == "any" || statistic.starts_with("padded_") ||
                              statistic.starts_with("grouped_"));
}

void place(ElementWitness& witness, const SeenNorms& seen, const ViewedNorms& asked) {
  const std::size_t norm = witness.site;
  if (norm >= seen.norms.size()) return;
  witness.site = asked.sites[seen.site[norm]];
  witness.index += seen.first[norm];
}

class ViewJudge {
 public:
  ViewJudge(const ViewedNorms& asked, const InputView& view) : asked_(asked), view_(view) {}

  // Empty where nothing survives. The rows of a sample are numbered as they are in it.
  [[nodiscard]] std::vector<EliminatedHypothesis> judge(std::size_t most_rows) const {
    const SeenNorms seen = seen_norms(asked_.norms, view_, most_rows);
    if (seen.says_little) return {};
    std::vector<SiteScan> scans;
    scans.reserve(seen.norms.size());
    std::vector<const SiteScan*> pointers;
    std::vector<std::size_t> names;
    std::size_t judged = 0;
    for (const ObservedNorm& norm : seen.norms) {
      scans.push_back(scan_site(norm, tails_for(norm, seen), false, asked_.threads));
      if (std::ranges::all_of(scans.back().tails, &TailScan::refuted)) return {};
      judged += scans.back().counts.judged;
      names.push_back(pointers.size());
      pointers.push_back(&scans.back());
    }
    // A conversion that leaves fewer rows to be judged would be believed for what it hides.
    if (judged == 0 || (most_rows == 0 && judged < asked_.judged_rows)) return {};
    const JudgeOptions how{
        .last_resort = asked_.last_resort, .declared_only = false, .threads = asked_.threads};
    std::vector<EliminatedHypothesis> list = judge_hypotheses(pointers, names, how);
    std::erase_if(list, [&](const auto& one) { return !has_meaning(one, view_); });
    if (!any_survives(list)) return {};
    for (EliminatedHypothesis& one : list) rename(one, seen);
    return list;
  }

 private:
  // A conversion that changes no number matters only where its format is that of every step.
  [[nodiscard]] TailList tails_for(const ObservedNorm& norm, const SeenNorms& seen) const {
    TailList list = tail_list(norm);
    if (view_.format != nullptr && !seen.changed) {
      std::erase_if(list.tails, [](const Tail& tail) { return !tail.every_op; });
    }
    return list;
  }

  void rename(EliminatedHypothesis& one, const SeenNorms& seen) const {
    one.hypothesis.statistic = view_.statistic(one.hypothesis.statistic);
    one.hypothesis.rounding = view_.rounding(one.hypothesis.rounding);
    for (Refutation* const refutation : {&one.refutation, &one.declared_refutation}) {
      if (refutation->kind == RefutationKind::kNone) continue;
      place(refutation->first, seen, asked_);
      place(refutation->second, seen, asked_);
    }
  }

  const ViewedNorms& asked_;
  const InputView& view_;
};

}  // namespace

std::vector<InputView> add_viewed(const ViewedNorms& asked, std::span<const InputView> views,
                                  std::vector<EliminatedHypothesis>& hypotheses) {
  std::vector<InputView> fitting;
  for (const InputView& view : views) {
    const ViewJudge judge(asked, view);
    if (judge.judge(kFirstRows).empty()) continue;
    std::vector<EliminatedHypothesis> found = judge.judge(0);
    if (found.empty()) continue;
    fitting.push_back(view);
    for (EliminatedHypothesis& one : found) hypotheses.push_back(std::move(one));
  }
  if (!fitting.empty()) std::ranges::stable_sort(hypotheses, comes_before);
  return fitting;
}

}  // namespace normcert
