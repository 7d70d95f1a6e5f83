#include "inference/epsilon_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostSlack = 0x1p23;
constexpr EpsilonRange kEverything = {0, kInfinity};
constexpr std::size_t kMostRounds = 200;

}  // namespace

bool grows_with_epsilon(EpsilonForm form) {
  return form == EpsilonForm::kAfterRsqrt || form == EpsilonForm::kTimesRms;
}

bool uses_epsilon(EpsilonForm form) {
  return form != EpsilonForm::kNone && form != EpsilonForm::kIdentity;
}

double EpsilonFit::scalar(const FitRow& row, double epsilon) const {
  switch (form_) {
    case EpsilonForm::kInside:
      return 1 / std::sqrt(row.q + epsilon);
    case EpsilonForm::kOutside:
      return 1 / (std::sqrt(row.q) + epsilon);
    case EpsilonForm::kAfterRsqrt:
      return 1 / std::sqrt(row.q) + epsilon;
    case EpsilonForm::kClampQ:
      return 1 / std::sqrt(std::max(row.q, epsilon));
    case EpsilonForm::kScaledByMax:
      return 1 / std::sqrt(row.q + epsilon * row.max_magnitude * row.max_magnitude);
    case EpsilonForm::kNone:
      return 1 / std::sqrt(row.q);
    case EpsilonForm::kTimesRms:
      return std::sqrt(row.q + epsilon);
    case EpsilonForm::kIdentity:
      return 1;
  }
  return 1;
}

double EpsilonFit::slack_of_row(const FitRow& row, double epsilon) const {
  const double r = scalar(row, epsilon);
  double needed = 0;
  if (r < row.low) needed = row.low / r - 1;
  if (r > row.high) needed = 1 - row.high / r;
  return std::max(0.0, needed - error_) / kUnit;
}

EpsilonRange EpsilonFit::range_of_row(const FitRow& row, double slack) const {
  const double low = row.low / (1 + slack * kUnit) * (1 - error_);
  const double high =
      slack * kUnit >= 1 ? kInfinity : row.high / (1 - slack * kUnit) * (1 + error_);
  // 1/r^2 and q cancel: each is widened by its own error before they meet.
  const double least_square = 1 / (high * high) * (1 - error_);
  const double greatest_square = 1 / (low * low) * (1 + error_);
  const double q_low = row.q * (1 - error_);
  const double q_high = row.q * (1 + error_);
  switch (form_) {
    case EpsilonForm::kInside:
      return {least_square - q_high, greatest_square - q_low};
    case EpsilonForm::kOutside:
      return {1 / high * (1 - error_) - std::sqrt(q_high) * (1 + error_),
              1 / low * (1 + error_) - std::sqrt(q_low) * (1 - error_)};
    case EpsilonForm::kAfterRsqrt:
      return {low - 1 / std::sqrt(q_low) * (1 + error_),
              high - 1 / std::sqrt(q_high) * (1 - error_)};
    case EpsilonForm::kClampQ:
      if (q_low > greatest_square) return {};
      return {q_high >= least_square ? 0 : least_square, greatest_square};
    case EpsilonForm::kScaledByMax: {
      const double square = row.max_magnitude * row.max_magnitude;
      return {(least_square - q_high) / square, (greatest_square - q_low) / square};
    }
    case EpsilonForm::kNone:
      return q_low <= greatest_square && q_high >= least_square ? kEverything : EpsilonRange{};
    case EpsilonForm::kTimesRms:
      return {low * low - q_high, high * high - q_low};
    case EpsilonForm::kIdentity:
      return low <= 1 && high >= 1 ? kEverything : EpsilonRange{};
  }
  return kEverything;
}

double EpsilonFit::slack_of(double epsilon, std::size_t* row) const {
  double most = 0;
  std::size_t most_row = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double one = slack_of_row(rows_[i], epsilon);
    if (!(one > most)) continue;
    most_row = i;
    most = one;
  }
  if (row != nullptr) *row = most_row;
  note(ExtremeKind::kNeed, epsilon, most, most_row);
  return most;
}

RangeOfRows EpsilonFit::range(double slack) const {
  RangeOfRows result{kEverything, 0, 0};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const EpsilonRange one = range_of_row(rows_[i], slack);
    if (one.low > result.range.low) {
      result.range.low = one.low;
      result.low_row = i;
    }
    if (one.high < result.range.high) {
      result.range.high = one.high;
      result.high_row = i;
    }
  }
  note(ExtremeKind::kLow, slack, result.range.low, result.low_row);
  note(ExtremeKind::kHigh, slack, result.range.high, result.high_row);
  return result;
}

void EpsilonFit::note(ExtremeKind kind, double at, double value, std::size_t row) const {
  if (extremes_ == nullptr) return;
  extremes_->add({kind, at, value, row < rows_.size() ? rows_[row].key : kNoRow, kNoRow});
}

bool EpsilonFit::exceeds(const FitRow& row, const std::vector<Extreme>& extremes) const {
  return std::ranges::any_of(extremes,
                             [&](const Extreme& extreme) { return exceeds_one(row, extreme); });
}

bool EpsilonFit::exceeds_one(const FitRow& row, const Extreme& extreme) const {
  switch (extreme.kind) {
    case ExtremeKind::kFirst:
      return row.key < extreme.row;
    case ExtremeKind::kLeastQ:
      return row.q < extreme.value || (row.q == extreme.value && row.key < extreme.row);
    case ExtremeKind::kGreatestQ:
      return row.q > extreme.value || (row.q == extreme.value && row.key > extreme.row);
    case ExtremeKind::kLow: {
      const double low = range_of_row(row, extreme.at).low;
      return low > 0 && goes_before(low, row.key, extreme);
    }
    case ExtremeKind::kHigh: {
      const double high = range_of_row(row, extreme.at).high;
      return high < extreme.value || (high == extreme.value && row.key < extreme.row);
    }
    case ExtremeKind::kNeed: {
      const double need = slack_of_row(row, extreme.at);
      return need > 0 && goes_before(need, row.key, extreme);
    }
    case ExtremeKind::kNeedBelow:
    case ExtremeKind::kNeedAbove: {
      const bool below = scalar(row, extreme.at) < row.low;
      if (below != (extreme.kind == ExtremeKind::kNeedBelow)) return false;
      const double need = slack_of_row(row, extreme.at);
      return need > 0 && goes_before(need, row.key, extreme);
    }
    case ExtremeKind::kNamed:
    case ExtremeKind::kEnd:
    case ExtremeKind::kNeedAfter:
    case ExtremeKind::kTie:
    case ExtremeKind::kNoNumber:
      return false;
  }
  return false;
}

// Bisection: a common epsilon exists at a slack or does not.
LeastSlack EpsilonFit::least_of(const std::vector<std::size_t>& rows) const {
  const auto common = [&](double slack) {
    EpsilonRange all = kEverything;
    for (const std::size_t row : rows) {
      const EpsilonRange one = range_of_row(rows_[row], slack);
      all.low = std::max(all.low, one.low);
      all.high = std::min(all.high, one.high);
    }
    return all;
  };
  const auto middle = [](const EpsilonRange& range) {
    if (!(range.high < kInfinity)) return range.low;
    return range.low > 0 ? std::sqrt(range.low) * std::sqrt(range.high) : range.high / 2;
  };
  EpsilonRange at_zero = common(0);
  if (!at_zero.empty()) return {0, middle(at_zero)};
  double no = 0;
  double yes = 1;
  while (yes < kMostSlack && common(yes).empty()) {
    no = yes;
    yes *= 4;
  }
  EpsilonRange at_yes = common(yes);
  if (at_yes.empty()) return {kInfinity, 0};
  for (int i = 0; i < 60 && yes - no > 1e-7 * yes; ++i) {
    const double half = (no + yes) / 2;
    const EpsilonRange at_half = common(half);
    if (at_half.empty()) {
      no = half;
    } else {
      yes = half;
      at_yes = at_half;
    }
  }
  return {no, middle(at_yes)};
}

LeastSlack EpsilonFit::least_slack(double enough) const {
  if (rows_.empty()) return {};
  const auto by_q = [](const FitRow& a, const FitRow& b) { return a.q < b.q; };
  const auto [least, greatest] = std::minmax_element(rows_.begin(), rows_.end(), by_q);
  std::vector<std::size_t> active = {static_cast<std::size_t>(least - rows_.begin()),
                                     static_cast<std::size_t>(greatest - rows_.begin())};
  note(ExtremeKind::kLeastQ, 0, least->q, active[0]);
  note(ExtremeKind::kGreatestQ, 0, greatest->q, active[1]);
  LeastSlack best;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    best = least_of(active);
    if (!(best.slack <= enough)) return best;
    // The rows that need most on either side of their interval.
    double too_low = 0;
    double too_high = 0;
    std::size_t low_row = 0;
    std::size_t high_row = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double needed = slack_of_row(rows_[i], best.epsilon);
      const bool below = scalar(rows_[i], best.epsilon) < rows_[i].low;
      double& most = below ? too_low : too_high;
      if (needed > most) {
        most = needed;
        (below ? low_row : high_row) = i;
      }
    }
    note(ExtremeKind::kNeedBelow, best.epsilon, too_low, low_row);
    note(ExtremeKind::kNeedAbove, best.epsilon, too_high, high_row);
    const double limit = best.slack * (1 + 1e-6) + 1e-6;
    if (too_low <= limit && too_high <= limit) return best;
    const std::size_t before = active.size();
    const auto add = [&](std::size_t row) {
      if (std::ranges::find(active, row) == active.end()) active.push_back(row);
    };
    if (too_low > limit) add(low_row);
    if (too_high > limit) add(high_row);
    // Nothing new: what is left is the bisection's tolerance.
    if (active.size() == before) return best;
  }
  return best;
}

}  // namespace normcert
