#include "inference/declared_standing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "inference/declared_function.hpp"
#include "inference/hypothesis_judge.hpp"
#include "inference/site_scan.hpp"

namespace normcert {
namespace {

bool is_declared(const TailList& list, const Tail& tail, const Case& value) {
  const bool uses_inputs =
      tail.numerator == Numerator::kInput || tail.numerator == Numerator::kUnrounded;
  if (tail.every_op || !uses_inputs) return false;
  const GainForm& gain = list.gains[tail.gain];
  return is_declared_gain(gain.offset, gain.use, value.weight_offset.text);
}

}  // namespace

bool has_declared_epsilon(const EliminatedHypothesis& one, double slack) {
  return std::ranges::any_of(one.slack_of, [&](const SlackOfEpsilon& form) {
    return form.name.starts_with("declared") && form.slack <= slack;
  });
}

DeclaredStanding declared_standing(std::span<const ObservedNorm> norms, unsigned threads) {
  std::vector<SiteScan> scans;
  scans.reserve(norms.size());
  std::vector<const SiteScan*> pointers;
  std::vector<std::size_t> sites;
  DeclaredStanding standing;
  for (const ObservedNorm& norm : norms) {
    TailList list = tail_list(norm);
    std::erase_if(list.tails,
                  [&](const Tail& tail) { return !is_declared(list, tail, *norm.value); });
    scans.push_back(scan_site(norm, std::move(list), false, threads));
    standing.rows += scans.back().counts.judged;
    sites.push_back(pointers.size());
    pointers.push_back(&scans.back());
  }
  if (standing.rows == 0) return standing;
  standing.possible = standing.plausible = false;
  const JudgeOptions how{.last_resort = false, .declared_only = true, .threads = threads};
  for (const EliminatedHypothesis& one : judge_hypotheses(pointers, sites, how)) {
    if (one.status == HypothesisStatus::kRefuted) continue;
    standing.possible = standing.possible || has_declared_epsilon(one, one.any_order);
    standing.plausible = standing.plausible || has_declared_epsilon(one, one.known_orders);
  }
  return standing;
}

}  // namespace normcert
