#include "inference/view_elimination.hpp"

#include <algorithm>
#include <utility>

#include "inference/hypothesis_judge.hpp"
#include "inference/hypothesis_order.hpp"
#include "inference/kept_rows.hpp"
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
  ViewJudge(const ViewedNorms& asked, const InputView& view, const ViewFacts& facts)
      : asked_(asked), view_(view), facts_(facts) {}

  // Empty where nothing survives.
  [[nodiscard]] std::vector<EliminatedHypothesis> judge() const {
    if (facts_.says_little || !may_fit()) return {};
    const SeenNorms seen = seen_norms(asked_.norms, view_, facts_, 0);
    std::vector<SiteScan> scans;
    scans.reserve(seen.norms.size());
    std::vector<SiteScan*> pointers;
    std::size_t judged = 0;
    for (const ObservedNorm& norm : seen.norms) {
      const std::size_t keep = asked_.kept_rows / seen.norms.size();
      scans.push_back(scan_site_in_part(norm, tails_for(norm), false, keep, asked_.threads));
      if (std::ranges::all_of(scans.back().tails, &TailScan::refuted)) return {};
      judged += scans.back().counts.judged;
      pointers.push_back(&scans.back());
    }
    // A conversion that leaves fewer rows to be judged would be believed for what it hides.
    if (judged == 0 || judged < asked_.judged_rows) return {};
    std::vector<TailTrace> traces;
    std::vector<EliminatedHypothesis> list = judge_all_rows(
        pointers, asked_.threads, traces,
        [&](std::vector<TailTrace>* rests_on) { return judged_by(scans, rests_on); });
    if (!any_survives(list)) return {};
    for (EliminatedHypothesis& one : list) rename(one, seen);
    return list;
  }

 private:
  // Whether something survives on a few rows of each norm, or they say nothing: what is refuted by
  // some rows is refuted by all.
  [[nodiscard]] bool may_fit() const {
    const SeenNorms seen = seen_norms(asked_.norms, view_, facts_, kFirstRows);
    std::vector<SiteScan> scans;
    std::size_t judged = 0;
    for (const ObservedNorm& norm : seen.norms) {
      scans.push_back(scan_site(norm, tails_for(norm), false, asked_.threads));
      if (std::ranges::all_of(scans.back().tails, &TailScan::refuted)) return false;
      judged += scans.back().counts.judged;
    }
    return judged == 0 || any_survives(judged_by(scans, nullptr));
  }

  [[nodiscard]] std::vector<EliminatedHypothesis> judged_by(
      const std::vector<SiteScan>& scans, std::vector<TailTrace>* rests_on) const {
    std::vector<const SiteScan*> pointers;
    std::vector<std::size_t> names;
    for (const SiteScan& scan : scans) {
      names.push_back(pointers.size());
      pointers.push_back(&scan);
    }
    const JudgeOptions how{.last_resort = asked_.last_resort,
                           .declared_only = false,
                           .threads = asked_.threads,
                           .binding = nullptr,
                           .traces = rests_on};
    std::vector<EliminatedHypothesis> list = judge_hypotheses(pointers, names, how);
    std::erase_if(list, [&](const auto& one) { return !has_meaning(one, view_); });
    return list;
  }

  // A conversion that changes no number matters only where its format is that of every step.
  [[nodiscard]] TailList tails_for(const ObservedNorm& norm) const {
    TailList list = tail_list(norm);
    if (view_.format != nullptr && !facts_.changed) {
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
  const ViewFacts& facts_;
};

}  // namespace

std::vector<InputView> add_viewed(const ViewedNorms& asked, std::span<const InputView> views,
                                  std::vector<EliminatedHypothesis>& hypotheses) {
  std::vector<InputView> fitting;
  const std::vector<ViewFacts> facts = view_facts(asked.norms, views, asked.threads);
  for (std::size_t k = 0; k < views.size(); ++k) {
    std::vector<EliminatedHypothesis> found = ViewJudge(asked, views[k], facts[k]).judge();
    if (found.empty()) continue;
    fitting.push_back(views[k]);
    for (EliminatedHypothesis& one : found) hypotheses.push_back(std::move(one));
  }
  if (!fitting.empty()) std::ranges::stable_sort(hypotheses, comes_before);
  return fitting;
}

}  // namespace normcert
