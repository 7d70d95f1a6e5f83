#include "inference/elimination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "inference/declared_function.hpp"
#include "inference/declared_standing.hpp"
#include "inference/flushing.hpp"
#include "inference/hypothesis_judge.hpp"
#include "inference/hypothesis_order.hpp"
#include "inference/input_view.hpp"
#include "inference/kept_rows.hpp"
#include "inference/recipe_hypothesis.hpp"
#include "inference/site_scan.hpp"
#include "inference/slack_bounds.hpp"
#include "inference/stray_search.hpp"
#include "inference/view_elimination.hpp"
#include "numeric/double_double.hpp"

namespace normcert {
namespace {

void check(std::span<const ObservedNorm> sites) {
  if (!arithmetic_is_default()) {
    throw std::logic_error("elimination needs round-to-nearest and subnormal numbers");
  }
  for (const ObservedNorm& site : sites) {
    const Case& value = *site.value;
    const Case& first = *sites.front().value;
    if (site.y.rows != value.x.rows || site.y.width != value.x.width ||
        (value.residual && value.residual->size() != value.x.size()) ||
        (value.weight && value.weight->width != value.x.width)) {
      throw std::invalid_argument("site " + site.site + ": tensors of different shapes");
    }
    const bool alike = value.x.width == first.x.width && *value.x.format == *first.x.format &&
                       *site.y.format == *sites.front().y.format &&
                       value.weight.has_value() == first.weight.has_value() &&
                       (!value.weight || *value.weight->format == *first.weight->format) &&
                       value.residual.has_value() == first.residual.has_value() &&
                       value.weight_offset.binary64 == first.weight_offset.binary64 &&
                       value.weight_offset_given == first.weight_offset_given &&
                       value.epsilon.text == first.epsilon.text;
    if (!alike) throw std::invalid_argument("site " + site.site + ": not of one group");
    if (value.x.format->precision > kFp32.precision || site.y.format->precision > kFp32.precision ||
        (value.weight && value.weight->format->precision > kFp32.precision)) {
      throw std::invalid_argument("site " + site.site + ": wider than binary32");
    }
  }
}

bool same_function(const Hypothesis& a, const Hypothesis& b) {
  return a.statistic == b.statistic && a.placement == b.placement &&
         a.weight_offset == b.weight_offset && a.weight_use == b.weight_use;
}

std::vector<const EliminatedHypothesis*> survivors_of(const Elimination& result) {
  std::vector<const EliminatedHypothesis*> list;
  for (const EliminatedHypothesis& one : result.hypotheses) {
    if (one.status == HypothesisStatus::kSurvives) list.push_back(&one);
  }
  return list;
}

bool pins_epsilon(const EliminatedHypothesis& one) {
  if (!one.has_epsilon || one.format_limits) return true;
  return one.epsilon.low > 0 && one.epsilon.high / one.epsilon.low <= 4;
}

EliminationOutcome outcome_of(const Elimination& result) {
  if (result.rows.judged == 0) return EliminationOutcome::kNothingToJudge;
  const auto survivors = survivors_of(result);
  if (survivors.empty()) return EliminationOutcome::kUnexplained;
  const EliminatedHypothesis& best = *survivors.front();
  if (is_last_resort(best.hypothesis)) return EliminationOutcome::kAmbiguous;
  for (const EliminatedHypothesis* one : survivors) {
    if (!same_function(one->hypothesis, best.hypothesis) || !pins_epsilon(*one)) {
      return EliminationOutcome::kAmbiguous;
    }
  }
  return EliminationOutcome::kExplained;
}

// Whether what explains the outputs keeps its statistic in the input's format on the way: then the
// sum may well be formed in it too, which is no hypothesis as long as another one survives.
bool is_narrow_throughout(const Elimination& result) {
  const auto survivors = survivors_of(result);
  return !survivors.empty() && std::ranges::all_of(survivors, [](const auto* one) {
    return one->hypothesis.statistic.ends_with("_in_input_dtype");
  });
}

// By `hypotheses`, which are of the same outputs.
bool is_declared_possible(const std::vector<EliminatedHypothesis>& hypotheses, const Case& value) {
  const std::optional<std::string> offset = declared_offset(value);
  return std::ranges::any_of(hypotheses, [&](const EliminatedHypothesis& one) {
    return one.status != HypothesisStatus::kRefuted &&
           is_declared_function(one.hypothesis, offset, StatisticKept::kAnyFormat) &&
           has_declared_epsilon(one, one.any_order);
  });
}

void judge_declared(Elimination& result, const Case& value) {
  if (value.epsilon.text.empty()) return;
  result.declared = DeclaredOutcome::kUndecided;
  const std::optional<std::string> offset = declared_offset(value);
  for (const EliminatedHypothesis& one : result.hypotheses) {
    const bool is_declared =
        is_declared_function(one.hypothesis, offset, StatisticKept::kAnyFormat);
    if (one.status == HypothesisStatus::kRefuted || !is_declared) continue;
    for (const SlackOfEpsilon& form : one.slack_of) {
      if (!form.name.starts_with("declared")) continue;
      if (one.status != HypothesisStatus::kSurvives || form.slack > one.known_orders ||
          is_last_resort(one.hypothesis)) {
        continue;
      }
      if (result.declared == DeclaredOutcome::kFits) continue;
      result.declared = DeclaredOutcome::kFits;
      result.declared_as = form.name == "declared"
                               ? "binary64"
                               : form.name.substr(std::string("declared as ").size());
    }
  }
  // Only where some function explains the outputs is another one impossible: outputs that nothing
  // explains may come of values that were not captured.
  const bool explained = !survivors_of(result).empty();
  if (explained && !is_declared_possible(result.hypotheses, value)) {
    result.declared = DeclaredOutcome::kImpossible;
  }
}

void name_recipes(Elimination& result, const ObservedNorm& norm,
                  const EliminationOptions& options) {
  for (const Recipe* recipe : options.recipes) {
    const auto hypothesis = hypothesis_of_recipe(*recipe, norm);
    if (!hypothesis) continue;
    for (EliminatedHypothesis& one : result.hypotheses) {
      if (one.hypothesis == *hypothesis) one.recipes.push_back(recipe->name);
    }
  }
}

void join_alike(Elimination& result) {
  auto& list = result.hypotheses;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (i != k && list[i].status == HypothesisStatus::kSurvives &&
          list[k].status == HypothesisStatus::kSurvives &&
          same_function(list[i].hypothesis, list[k].hypothesis)) {
        list[i].same_outputs_here.push_back(k);
      }
    }
  }
}

void describe_flushing(std::span<const SiteScan* const> scans, Elimination& result) {
  // Without a zero that should be none nothing was flushed.
  if (result.rows.zero_outputs == 0) return;
  const auto survivors = survivors_of(result);
  Flushing seen;
  for (const SiteScan* const scan : scans) {
    seen += flushing_of(*scan->norm, survivors.empty() ? nullptr : &survivors.front()->hypothesis);
  }
  std::vector<std::string> words = flushing_words(seen, *scans.front()->norm);
  result.flushes = !words.empty();
  std::ranges::move(words, std::back_inserter(result.symptoms));
}

void describe(Elimination& result) {
  const auto survivors = survivors_of(result);
  if (result.outcome == EliminationOutcome::kUnexplained) {
    result.symptoms.emplace_back("no function here explains the outputs of every row");
  }
  if (!survivors.empty() && survivors.front()->hypothesis.statistic == "variance") {
    result.symptoms.emplace_back("mean subtracted: a LayerNorm");
  }
  const auto leaves_zero = [](const auto* one) { return !(one->epsilon.low > 0); };
  if (result.outcome == EliminationOutcome::kAmbiguous && survivors.front()->has_epsilon &&
      leaves_zero(survivors.front())) {
    result.symptoms.emplace_back(
        "epsilon is immaterial here: the rows' mean squares are too great");
  }
  if (result.rows.zero_rows_nan > 0) {
    result.symptoms.emplace_back("a zero row gave NaN: nothing was added before the root");
  }
}

// What is judged together.
struct Together {
  std::vector<SiteScan*> scans;
  std::vector<std::size_t> sites;
  std::span<const ObservedNorm> norms;
  std::vector<InputView> views;  // tried where nothing survives; then those that fit
  bool looks_for_views = false;  // all that there are, of the first norm, rather than those
  bool with_strays = false;
  // What views leave, of all rows, without the last resort and with it: found once.
  std::array<std::optional<std::vector<EliminatedHypothesis>>, 2> viewed;
};

void try_views(Together& together, const EliminationOptions& options, Elimination& result,
               bool last_resort) {
  std::optional<std::vector<EliminatedHypothesis>>& found = together.viewed.at(last_resort ? 1 : 0);
  if (!found) {
    std::vector<InputView> views =
        together.looks_for_views ? input_views(together.norms.front()) : together.views;
    // Of a sum in a 16-bit format groups would leave nothing to be seen.
    if (last_resort) std::erase_if(views, [](const InputView& one) { return one.group != 0; });
    const ViewedNorms viewed{together.norms,    result.sites, result.rows.judged,
                             options.kept_rows, last_resort,  options.threads};
    together.views = add_viewed(viewed, views, found.emplace());
  }
  if (found->empty()) return;
  std::ranges::copy(*found, std::back_inserter(result.hypotheses));
  std::ranges::stable_sort(result.hypotheses, comes_before);
}

// `traces`: unless it is nullptr, what the judgement rests on is added.
Elimination judge(Together& together, const EliminationOptions& options,
                  std::vector<TailTrace>* traces) {
  const std::vector<const SiteScan*> scans(together.scans.begin(), together.scans.end());
  Elimination result;
  const ObservedNorm& norm = *scans.front()->norm;
  const SlackBounds bounds = slack_bounds(norm.value->x.width);
  result.known_orders = bounds.known_orders;
  result.any_order = bounds.any_order;
  result.with_strays = together.with_strays;
  bool first = true;
  for (const SiteScan* scan : scans) {
    result.rows += scan->counts;
    if (scan->counts.judged == 0) continue;
    result.q_min = first ? scan->q_min : std::min(result.q_min, scan->q_min);
    result.q_max = std::max(result.q_max, scan->q_max);
    first = false;
  }
  result.sites = together.sites;
  if (result.rows.judged > 0) {
    JudgeOptions how{.last_resort = false, .declared_only = false, .threads = options.threads};
    std::vector<TailTrace> rests_on;
    if (traces != nullptr) how.traces = &rests_on;
    const auto keep_traces = [&] {
      if (traces != nullptr) std::ranges::move(rests_on, std::back_inserter(*traces));
    };
    result.hypotheses = judge_hypotheses(scans, result.sites, how);
    keep_traces();
    // With strays a norm alone has been asked already.
    if (survivors_of(result).empty() && !(together.with_strays && together.looks_for_views)) {
      try_views(together, options, result, false);
    }
    // Strays first: the freedom of the last resort would explain them as well.
    if (together.with_strays && survivors_of(result).empty() &&
        !set_strays_apart(scans, result.sites, options.threads, result.hypotheses, traces)) {
      how.last_resort = true;
      result.hypotheses = judge_hypotheses(scans, result.sites, how);
      keep_traces();
      if (survivors_of(result).empty()) try_views(together, options, result, true);
    }
  }
  name_recipes(result, norm, options);
  join_alike(result);
  result.outcome = outcome_of(result);
  judge_declared(result, *norm.value);
  if (result.declared == DeclaredOutcome::kImpossible && is_narrow_throughout(result)) {
    JudgeOptions how{.last_resort = true, .declared_only = false, .threads = options.threads};
    std::vector<TailTrace> rests_on;
    if (traces != nullptr) how.traces = &rests_on;
    if (is_declared_possible(judge_hypotheses(scans, result.sites, how), *norm.value)) {
      result.declared = DeclaredOutcome::kUndecided;
      result.symptoms.emplace_back(
          "the declared epsilon is not refuted: a sum formed in the input's format as well would "
          "excuse it");
    }
    if (traces != nullptr) std::ranges::move(rests_on, std::back_inserter(*traces));
  }
  describe_flushing(scans, result);
  describe(result);
  return result;
}

}  // namespace

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  rows += other.rows;
  judged += other.judged;
  zero += other.zero;
  non_finite_input += other.non_finite_input;
  no_number += other.no_number;
  out_of_range += other.out_of_range;
  nan_outputs += other.nan_outputs;
  infinite_outputs += other.infinite_outputs;
  zero_rows_nan += other.zero_rows_nan;
  zero_outputs += other.zero_outputs;
  if (!first_zero_row || (other.first_zero_row && *other.first_zero_row < *first_zero_row)) {
    first_zero_row = other.first_zero_row;
  }
  return *this;
}

EliminationResult eliminate(std::span<const ObservedNorm> sites,
                            const EliminationOptions& options) {
  if (sites.empty()) throw std::invalid_argument("no site to judge");
  check(sites);
  std::vector<SiteScan> scans(sites.size());
  const std::size_t keep = options.kept_rows / sites.size();
  Together all;
  all.norms = sites;
  EliminationResult result;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    all.scans.push_back(&scans[i]);
    all.sites.push_back(i);
    Together one;
    one.scans = {&scans[i]};
    one.sites = {i};
    one.norms = sites.subspan(i, 1);
    one.looks_for_views = true;
    std::vector<TailTrace> traces;
    const auto judge_site = [&] {
      scans[i] = scan_site_in_part(sites[i], one.with_strays, keep, options.threads);
      return judge_all_rows(one.scans, options.threads, traces, [&](std::vector<TailTrace>* rests) {
        return judge(one, options, rests);
      });
    };
    result.alone.push_back(judge_site());
    if (result.alone.back().outcome == EliminationOutcome::kUnexplained) {
      // Nothing survives strictly: a few elements may be set apart.
      one.with_strays = all.with_strays = true;
      result.alone.back() = judge_site();
    }
    for (const InputView& view : one.views) {
      if (std::ranges::find(all.views, view) == all.views.end()) all.views.push_back(view);
    }
    if (!scans[i].complete && sites.size() > 1) keep_named_rows(scans[i], 0, traces);
  }
  if (sites.size() == 1) {
    result.joint = result.alone.front();
    return result;
  }
  std::vector<TailTrace> traces;
  result.joint = judge_all_rows(
      all.scans, options.threads, traces,
      [&](std::vector<TailTrace>* rests_on) { return judge(all, options, rests_on); });
  return result;
}

}  // namespace normcert
