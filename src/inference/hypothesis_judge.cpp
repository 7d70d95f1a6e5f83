#include "inference/hypothesis_judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "inference/fit_rows.hpp"
#include "inference/hypothesis_grid.hpp"
#include "inference/hypothesis_order.hpp"
#include "inference/narrow_chain.hpp"
#include "inference/slack_bounds.hpp"

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;

class Judge {
 public:
  Judge(std::span<const SiteScan* const> scans, std::span<const std::size_t> sites,
        const JudgeOptions& options)
      : scans_(scans),
        sites_(sites),
        options_(options),
        value_(*scans.front()->norm->value),
        width_(value_.x.width),
        narrow_(value_.x.format->precision < kFp32.precision),
        bounds_(slack_bounds(width_)),
        epsilons_(epsilons_of(value_)) {
    if (options_.traces != nullptr) options_.traces->assign(list().tails.size(), {});
    for (std::size_t k = 0; k < scans_.size(); ++k) {
      const auto& zero = scans_[k]->counts.first_zero_row;
      if (!zero_row_ && zero) zero_row_ = ElementWitness{.site = sites_[k], .row = *zero};
      q_error_ = std::max(q_error_, scans_[k]->sum_error);
    }
  }

  [[nodiscard]] std::vector<EliminatedHypothesis> tail(std::size_t index) const {
    const Tail& which = list().tails[index];
    for (std::size_t k = 0; k < scans_.size(); ++k) {
      if (scans_[k]->tails[index].refuted) return {refuted_tail(index, k)};
    }
    std::vector<EliminatedHypothesis> found;
    if (which.every_op) {
      narrow_tail(index, found);
    } else {
      wide_tail(index, found);
    }
    for (EliminatedHypothesis& one : found) add_strays(one, index);
    return found;
  }

 private:
  [[nodiscard]] const TailList& list() const { return scans_.front()->list; }

  [[nodiscard]] EliminatedHypothesis named(std::size_t tail) const {
    EliminatedHypothesis one;
    one.hypothesis = hypothesis_of(list(), list().tails[tail], value_.residual.has_value());
    one.known_orders = bounds_.known_orders;
    one.any_order = bounds_.any_order;
    return one;
  }

  [[nodiscard]] EliminatedHypothesis refuted_tail(std::size_t tail, std::size_t scan) const {
    EliminatedHypothesis one = named(tail);
    const bool centered = list().tails[tail].numerator == Numerator::kCentered;
    one.hypothesis.statistic = centered ? "variance" : "any";
    one.hypothesis.placement = "any";
    one.refutation = refutation_by_row(*scans_[scan], tail, scans_[scan]->tails[tail].refuted_row);
    one.refutation.first.site = one.refutation.second.site = sites_[scan];
    return one;
  }

  void add_strays(EliminatedHypothesis& one, std::size_t tail) const {
    for (std::size_t k = 0; k < scans_.size(); ++k) {
      const TailScan& scan = scans_[k]->tails[tail];
      one.stray_count += scan.stray_count;
      for (StrayElement stray : scan.strays) {
        stray.site = sites_[k];
        one.strays.push_back(stray);
      }
    }
  }

  // Hypotheses about a tail that binary32 computes.
  void wide_tail(std::size_t tail, std::vector<EliminatedHypothesis>& found) const {
    const Numerator numerator = list().tails[tail].numerator;
    std::vector<Numerator> sources = {numerator};
    if (numerator == Numerator::kInput && value_.residual && narrow_) {
      sources.push_back(Numerator::kUnrounded);
    }
    for (const Numerator source : sources) {
      const bool mixed = source != numerator;
      const auto n = static_cast<double>(width_);
      const FitRows rows = fit_rows(scans_, tail, source, SumKind::kSquares, n);
      const bool centered = numerator == Numerator::kCentered;
      const char* const mean = centered ? "variance" : "mean_square";
      if (options_.declared_only) {
        fitted(tail, rows, mean, kPlacements[0], bounds_, mixed, found);
        if (found_truth_needs_order(found)) sequential(tail, source, mixed, found);
        continue;
      }
      for (const Placement& placement : kPlacements) {
        const bool odd = !uses_epsilon(placement.form) || grows_with_epsilon(placement.form);
        if (centered && odd && placement.form != EpsilonForm::kNone) continue;
        fitted(tail, rows, mean, placement, bounds_, mixed, found);
      }
      if (centered) continue;
      if (found_truth_needs_order(found)) sequential(tail, source, mixed, found);
      other_divisors(tail, source, mixed, found);
      if (narrow_) rounded_statistics(tail, source, rows, mixed, found);
    }
  }

  // Whether the plain function, or the declared epsilon under it, needs more than known orders: the
  // sum from first to last, the worst order in use, is then computed exactly.
  [[nodiscard]] bool found_truth_needs_order(const std::vector<EliminatedHypothesis>& found) const {
    return std::ranges::any_of(found, [](const EliminatedHypothesis& one) {
      if (one.status == HypothesisStatus::kImplausible) return true;
      double declared = std::numeric_limits<double>::infinity();
      for (const SlackOfEpsilon& form : one.slack_of) {
        if (form.name.starts_with("declared")) declared = std::min(declared, form.slack);
      }
      return declared > one.known_orders && declared <= one.any_order && std::isfinite(declared);
    });
  }

  void sequential(std::size_t tail, Numerator source, bool mixed,
                  std::vector<EliminatedHypothesis>& found) const {
    if (source != Numerator::kInput) return;
    const FitRows rows =
        fit_rows(scans_, tail, source, SumKind::kSequential, static_cast<double>(width_));
    // Nothing is added in another order; one square less is rounded.
    const SlackBounds bounds = slack_bounds(1);
    for (const Placement& placement : kPlacements) {
      if (grows_with_epsilon(placement.form) || placement.form == EpsilonForm::kIdentity) continue;
      std::vector<EliminatedHypothesis> one;
      fitted(tail, rows, "mean_square", placement, bounds, mixed, one);
      if (one.front().status != HypothesisStatus::kSurvives) continue;
      one.front().order = "sequential";
      found.push_back(std::move(one.front()));
    }
  }

  void other_divisors(std::size_t tail, Numerator source, bool mixed,
                      std::vector<EliminatedHypothesis>& found) const {
    for (const Divisor& divisor : divisors_of(width_)) {
      const FitRows rows = fit_rows(scans_, tail, source, SumKind::kSquares, divisor.value);
      const bool is_another_width =
          divisor.statistic.starts_with("padded") || divisor.statistic.starts_with("grouped");
      for (const Placement& placement : kPlacements) {
        if (grows_with_epsilon(placement.form) && placement.form != EpsilonForm::kAfterRsqrt) {
          continue;
        }
        if (placement.form == EpsilonForm::kIdentity) continue;
        if (is_another_width && placement.form != EpsilonForm::kInside) continue;
        fitted(tail, rows, divisor.statistic, placement, bounds_, mixed, found);
      }
    }
  }

  void rounded_statistics(std::size_t tail, Numerator source, const FitRows& rows, bool mixed,
                          std::vector<EliminatedHypothesis>& found) const {
    const auto n = static_cast<double>(width_);
    const Placement inside = kPlacements[0];
    if (source == Numerator::kInput) {
      fitted(tail, fit_rows(scans_, tail, source, SumKind::kNarrowSquares, n),
             "squares_in_input_dtype", inside, bounds_, mixed, found);
    }
    for (const NamedChain& chain : kChains) {
      if (chain.narrow_squares && source != Numerator::kInput) continue;
      const FitRows base =
          chain.narrow_squares ? fit_rows(scans_, tail, source, SumKind::kNarrowSquares, n) : rows;
      for (const bool narrow_epsilon : {false, true}) {
        NarrowSteps steps = chain.steps;
        steps.epsilon = narrow_epsilon;
        chained(tail, base, chain.statistic, steps, bounds_, mixed, found);
      }
    }
    for (const bool divides : {false, true}) {
      RowKey without = kNoRow;
      const auto rounded = with_narrow_scalar(rows, *value_.x.format, divides, without);
      if (!rounded) {
        trace(tail).add_without(rows.origin, divides, without);
        continue;
      }
      for (const Placement& placement : kPlacements) {
        if (placement.form > EpsilonForm::kNone) continue;
        fitted(tail, *rounded, divides ? "rms_in_input_dtype" : "rstd_in_input_dtype", placement,
               bounds_, mixed, found);
      }
    }
    if (options_.last_resort) {
      fitted(tail, rows, "accumulated_in_input_dtype", inside, narrow_bounds(), mixed, found);
    }
  }

  // A tail whose every operation rounds to the input's format: so does the statistic.
  void narrow_tail(std::size_t tail, std::vector<EliminatedHypothesis>& found) const {
    const Numerator source = list().tails[tail].numerator;
    for (const SumKind kind : {SumKind::kNarrowSquares, SumKind::kSquares}) {
      if (kind == SumKind::kNarrowSquares && source != Numerator::kInput) continue;
      const FitRows rows = fit_rows(scans_, tail, source, kind, static_cast<double>(width_));
      for (const bool epsilon : {false, true}) {
        for (const int root : {0, 1, 2}) {
          const NarrowSteps steps{.mean = true,
                                  .epsilon = epsilon,
                                  .sum = true,
                                  .root = root == 1,
                                  .scalar = true,
                                  .divides = root == 2};
          chained(tail, rows, "all_in_input_dtype", steps, bounds_, false, found);
          if (!options_.last_resort) continue;
          chained(tail, rows, "accumulated_in_input_dtype", steps, narrow_bounds(), false, found);
        }
      }
    }
  }

  // Of a sum that is formed in the input's format.
  [[nodiscard]] SlackBounds narrow_bounds() const {
    const double unit = std::ldexp(1.0, -value_.x.format->precision);
    SlackBounds bounds = slack_bounds(width_, unit);
    bounds.known_orders *= unit / kUnit;
    bounds.any_order *= unit / kUnit;
    return bounds;
  }

  template <typename Fit>
  void judge(const Fit& fit, const FitRows& rows, std::size_t tail, const SlackBounds& bounds,
             EpsilonForm form, EliminatedHypothesis& one) const {
    one.known_orders = bounds.known_orders;
    one.any_order = bounds.any_order;
    one.has_epsilon = uses_epsilon(form);
    const double enough = std::min(std::max(4 * bounds.any_order, 0x1p17), 0x1p22);
    const LeastSlack least = fit.least_slack(enough);
    one.least_slack = least.slack;
    one.best_epsilon = least.epsilon;
    one.status = status_of(least.slack, bounds);
    zero_rows(form, one);
    if (options_.binding != nullptr) add_binding(fit, rows, form, one);
    if (one.status == HypothesisStatus::kRefuted) {
      if (one.refutation.kind == RefutationKind::kNone) prove(fit, rows, tail, form, one);
      return;
    }
    const double granted = std::max(bounds.known_orders, least.slack * (1 + 1e-5) + 1e-5);
    one.epsilon = fit.epsilons(granted);
    one.epsilon_any_order = fit.epsilons(std::min(bounds.any_order, 0x1p23));
    if (!one.has_epsilon) return;
    for (const NamedEpsilon& epsilon : epsilons_) {
      one.slack_of.push_back({epsilon.name, epsilon.value, fit.slack_of(epsilon.value, nullptr)});
    }
  }

  void fitted(std::size_t tail, const FitRows& rows, const std::string& statistic,
              const Placement& placement, SlackBounds bounds, bool mixed,
              std::vector<EliminatedHypothesis>& found) const {
    EliminatedHypothesis one = named(tail);
    one.hypothesis.statistic = statistic;
    one.hypothesis.placement = placement.name;
    if (mixed) one.hypothesis.residual = "unrounded_statistic";
    if (placement.form == EpsilonForm::kScaledByMax) {
      bounds.known_orders += 2;
      bounds.any_order += 2;
    }
    Extremes extremes;
    const EpsilonFit fit(rows.rows, placement.form, q_error_, &extremes);
    judge(fit, rows, tail, bounds, placement.form, one);
    if (one.status != HypothesisStatus::kRefuted) {
      declared_proof(fit, rows, tail, one);
    }
    found.push_back(std::move(one));
    trace(tail).add_fit(rows.origin, {placement.form, std::nullopt, std::move(extremes)});
  }

  void chained(std::size_t tail, const FitRows& rows, const char* statistic,
               const NarrowSteps& steps, const SlackBounds& bounds, bool mixed,
               std::vector<EliminatedHypothesis>& found) const {
    EliminatedHypothesis one = named(tail);
    one.hypothesis.statistic = statistic;
    one.hypothesis.placement = "inside";
    if (mixed) one.hypothesis.residual = "unrounded_statistic";
    one.format_limits = true;
    Extremes extremes;
    const NarrowChain chain(rows.rows, steps, *value_.x.format, q_error_, &extremes);
    judge(chain, rows, tail, bounds, EpsilonForm::kInside, one);
    found.push_back(std::move(one));
    trace(tail).add_fit(rows.origin, {EpsilonForm::kInside, steps, std::move(extremes)});
  }

  [[nodiscard]] TailTracer trace(std::size_t tail) const {
    return {options_.traces, tail, q_error_};
  }

  void zero_rows(EpsilonForm form, EliminatedHypothesis& one) const {
    const bool undefined = form == EpsilonForm::kNone || form == EpsilonForm::kAfterRsqrt;
    if (!undefined || !zero_row_) return;
    one.status = HypothesisStatus::kRefuted;
    one.refutation.kind = RefutationKind::kZeroRow;
    one.refutation.first = one.refutation.second = *zero_row_;
  }

  [[nodiscard]] ElementWitness end_of(const FitRows& rows, std::size_t row, std::size_t tail,
                                      bool asks_greatest) const {
    const RowKey& key = rows.rows[row].key;
    ElementWitness witness = binding_element(*scans_[key.scan], tail, key.row, asks_greatest);
    witness.site = sites_[key.scan];
    witness.mean_square = rows.rows[row].q;
    return witness;
  }

  template <typename Fit>
  void prove(const Fit& fit, const FitRows& rows, std::size_t tail, EpsilonForm form,
             EliminatedHypothesis& one) const {
    const double slack = std::min(one.any_order, 0x1p23);
    const RangeOfRows range = fit.range(slack);
    one.refutation.kind = RefutationKind::kRows;
    one.refutation.slack = slack;
    one.refutation.low_asked = range.range.low;
    one.refutation.high_asked = range.range.high;
    const bool grows = grows_with_epsilon(form);
    one.refutation.first = end_of(rows, range.low_row, tail, grows);
    one.refutation.second = end_of(rows, range.high_row, tail, !grows);
  }

  template <typename Fit>
  void add_binding(const Fit& fit, const FitRows& rows, EpsilonForm form,
                   const EliminatedHypothesis& one) const {
    const bool by_rows = one.refutation.kind == RefutationKind::kNone;
    if (one.status == HypothesisStatus::kSurvives || !by_rows || rows.rows.empty()) return;
    const RangeOfRows range = fit.range(std::min(one.known_orders, 0x1p23));
    const bool grows = grows_with_epsilon(form);
    const RowKey& low = rows.rows[range.low_row].key;
    const RowKey& high = rows.rows[range.high_row].key;
    options_.binding->push_back({low.scan, low.row, grows, one.least_slack});
    options_.binding->push_back({high.scan, high.row, !grows, one.least_slack});
  }

  void declared_proof(const EpsilonFit& fit, const FitRows& rows, std::size_t tail,
                      EliminatedHypothesis& one) const {
    if (value_.epsilon.text.empty() || one.slack_of.empty()) return;
    for (const SlackOfEpsilon& slack : one.slack_of) {
      if (slack.name.starts_with("declared") && slack.slack <= one.any_order) return;
    }
    std::size_t row = 0;
    (void)fit.slack_of(value_.epsilon.binary64, &row);
    const double r = fit.scalar(rows.rows[row], value_.epsilon.binary64);
    const bool asks_more = r < rows.rows[row].low;
    Refutation& proof = one.declared_refutation;
    proof.kind = RefutationKind::kElement;
    proof.slack = one.any_order;
    proof.first = proof.second = end_of(rows, row, tail, asks_more);
    const double freedom = one.any_order * kUnit;
    proof.low_asked = asks_more ? proof.first.scalar_low : r * (1 - freedom);
    proof.high_asked = asks_more ? r * (1 + freedom) : proof.first.scalar_high;
  }

  std::span<const SiteScan* const> scans_;
  std::span<const std::size_t> sites_;
  JudgeOptions options_;
  const Case& value_;
  std::size_t width_;
  bool narrow_;
  SlackBounds bounds_;
  std::vector<NamedEpsilon> epsilons_;
  std::optional<ElementWitness> zero_row_;  // of a zero row that gave no NaN
  double q_error_ = 0;
};

}  // namespace

std::vector<EliminatedHypothesis> judge_hypotheses(std::span<const SiteScan* const> scans,
                                                   std::span<const std::size_t> sites,
                                                   const JudgeOptions& options) {
  std::vector<EliminatedHypothesis> all;
  const Judge judge(scans, sites, options);
  for_each_block(
      scans.front()->list.tails.size(), options.threads,
      [&](std::size_t tail) { return judge.tail(tail); },
      [&](std::size_t, std::vector<EliminatedHypothesis> found) {
        for (EliminatedHypothesis& one : found) merge_into(all, std::move(one));
      });
  put_in_order(all);
  return all;
}

std::vector<EliminatedHypothesis> judge_tail(std::span<const SiteScan* const> scans,
                                             std::span<const std::size_t> sites, std::size_t tail,
                                             const JudgeOptions& options) {
  return Judge(scans, sites, options).tail(tail);
}

}  // namespace normcert
