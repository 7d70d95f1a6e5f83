#include "inference/narrow_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace normcert {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGreatestEpsilon = 0x1p64;
constexpr double kMostSlack = 0x1p20;
constexpr double kRoot = 4 * kUnit;     // an instruction for the root
constexpr double kOneTie = 16 * kUnit;  // relative: what epsilons of one tie differ by

// The least number of [low, high] for which the predicate holds, which holds from some number on
// (and at high).
template <typename Predicate>
double first_that(double low, double high, Predicate holds) {
  auto no = std::bit_cast<std::uint64_t>(low);
  auto yes = std::bit_cast<std::uint64_t>(high);
  if (holds(low)) return low;
  while (yes - no > 1) {
    const std::uint64_t half = no + (yes - no) / 2;
    (holds(std::bit_cast<double>(half)) ? yes : no) = half;
  }
  return std::bit_cast<double>(yes);
}

}  // namespace

NarrowChain::NarrowChain(const std::vector<FitRow>& rows, const NarrowSteps& steps,
                         const FloatFormat& format, double q_error, Extremes* extremes)
    : rows_(rows),
      steps_(steps),
      grid_(format),
      error_(q_error + 0x1p-49),
      impossible_(rows.size()),
      extremes_(extremes) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i] = in_terms_of_scalar(rows_[i]);
    const bool has_number = !steps_.scalar || rows_[i].low <= rows_[i].high;
    if (!has_number && impossible_ == rows_.size()) impossible_ = i;
  }
  note({ExtremeKind::kFirst, 0, 0, key(0), kNoRow});
  if (steps_.scalar) note({ExtremeKind::kNoNumber, 0, 0, key(impossible_), kNoRow});
}

FitRow NarrowChain::in_terms_of_scalar(FitRow row) const {
  if (steps_.divides) {
    const double low = 1 / row.high * (1 - error_);
    row.high = 1 / row.low * (1 + error_);
    row.low = low;
  }
  if (!steps_.scalar) return row;
  row.low = grid_.ceiling(row.low);
  if (row.high <= grid_.greatest()) row.high = grid_.floor(row.high);
  return row;
}

void NarrowChain::note(const Extreme& extreme) const {
  if (extremes_ != nullptr) extremes_->add(extreme);
}

double NarrowChain::narrow(double value, bool rounds) const {
  return rounds ? grid_.nearest(value) : value;
}

NarrowChain::Scalars NarrowChain::scalars(const FitRow& row, double epsilon, double slack) const {
  // The slack is that of the scalar; the sum's is twice as great.
  const double freedom = 2 * slack * kUnit + error_;
  const double added = narrow(epsilon, steps_.epsilon);
  // What binary32 rounds before a step rounds to the narrow format, or an instruction for the root
  // does wrong: one unit roundoff, four.
  const double below =
      narrow((narrow(std::max(0.0, row.q * (1 - freedom)), steps_.mean) + added) * (1 - kUnit),
             steps_.sum);
  const double above =
      narrow((narrow(row.q * (1 + freedom), steps_.mean) + added) * (1 + kUnit), steps_.sum);
  const double root_below = narrow(std::sqrt(below) * (1 - kUnit), steps_.root);
  const double root_above = narrow(std::sqrt(above) * (1 + kUnit), steps_.root);
  if (steps_.divides) {
    return {narrow(root_below * (1 - kRoot), steps_.scalar),
            narrow(root_above * (1 + kRoot), steps_.scalar)};
  }
  return {narrow(1 / root_above * (1 - kRoot), steps_.scalar),
          narrow(1 / root_below * (1 + kRoot), steps_.scalar)};
}

bool NarrowChain::fits(const FitRow& row, double epsilon, double slack) const {
  const Scalars found = scalars(row, epsilon, slack);
  return found.low <= row.high && found.high >= row.low;
}

// Where epsilon decides about a tie alone, the two numbers beside it, and with them the scalars,
// may lie far apart: 0 and the least number of the format. A row needs one of them, not one
// between.
bool NarrowChain::reaches(const FitRow& row, const Scalars& epsilons, double slack) const {
  using List = std::vector<Scalars>;
  const auto round = [this](const List& from, bool rounds) {
    List list;
    for (const Scalars& one : from) {
      const Scalars ends{narrow(one.low, rounds), narrow(one.high, rounds)};
      const bool neighbours = rounds && ends.low < ends.high && grid_.next(ends.low) >= ends.high;
      list.push_back(neighbours ? Scalars{ends.low, ends.low} : ends);
      if (neighbours) list.push_back({ends.high, ends.high});
    }
    return list;
  };
  const auto each = [](List list, auto function) {
    for (Scalars& one : list) one = function(one);
    return list;
  };
  const double freedom = 2 * slack * kUnit + error_;
  const List means =
      round({{std::max(0.0, row.q * (1 - freedom)), row.q * (1 + freedom)}}, steps_.mean);
  List sums;
  for (const Scalars& added : round({epsilons}, steps_.epsilon)) {
    for (const Scalars& mean : means) {
      sums.push_back(
          {(mean.low + added.low) * (1 - kUnit), (mean.high + added.high) * (1 + kUnit)});
    }
  }
  const List roots = round(
      each(round(sums, steps_.sum),
           [](const Scalars& sum) {
             return Scalars{std::sqrt(sum.low) * (1 - kUnit), std::sqrt(sum.high) * (1 + kUnit)};
           }),
      steps_.root);
  const auto scalar = [this](const Scalars& root) {
    if (steps_.divides) return Scalars{root.low * (1 - kRoot), root.high * (1 + kRoot)};
    return Scalars{1 / root.high * (1 - kRoot), 1 / root.low * (1 + kRoot)};
  };
  return std::ranges::any_of(round(each(roots, scalar), steps_.scalar), [&](const Scalars& found) {
    return found.low <= row.high && found.high >= row.low;
  });
}

double NarrowChain::slack_of(double epsilon, std::size_t* row) const {
  double slack = 0;
  Extreme last{ExtremeKind::kNeedAfter, epsilon, 0, kNoRow, kNoRow};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (fits(rows_[i], epsilon, slack)) continue;
    if (row != nullptr) *row = i;
    if (!fits(rows_[i], epsilon, kMostSlack)) {
      note({ExtremeKind::kNamed, epsilon, 0, key(i), kNoRow});
      return kInfinity;
    }
    double no = slack;
    double yes = kMostSlack;
    while (yes - no > 1e-6 * yes) {
      const double half = (no + yes) / 2;
      (fits(rows_[i], epsilon, half) ? yes : no) = half;
    }
    slack = no;
    // Each row starts from what the one before it left.
    last.before = key(i);
    note(last);
    last = {ExtremeKind::kNeedAfter, epsilon, slack, key(i), kNoRow};
  }
  note(last);
  return slack;
}

// The scalar falls with epsilon, rms grows.
bool NarrowChain::great_enough(const FitRow& row, double epsilon, double slack) const {
  const Scalars found = scalars(row, epsilon, slack);
  return steps_.divides ? found.high >= row.low : found.low <= row.high;
}

bool NarrowChain::too_great(const FitRow& row, double epsilon, double slack) const {
  const Scalars found = scalars(row, epsilon, slack);
  return steps_.divides ? found.low > row.high : found.high < row.low;
}

bool NarrowChain::has_none(const FitRow& row, double slack) const {
  return !great_enough(row, kGreatestEpsilon, slack) || too_great(row, 0, slack);
}

// In one pass each, because an end only moves inward.
NarrowChain::Ends NarrowChain::ends(double slack) const {
  Ends found{0, kGreatestEpsilon, 0, 0, rows_.size(), rows_.size()};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const FitRow& row = rows_[i];
    if (!great_enough(row, found.least, slack)) {
      found.low_row = i;
      if (!great_enough(row, kGreatestEpsilon, slack)) return {-1, 0, i, i, i, rows_.size()};
      found.least = first_that(found.least, kGreatestEpsilon,
                               [&](double epsilon) { return great_enough(row, epsilon, slack); });
    }
    if (too_great(row, found.greatest, slack)) {
      if (too_great(row, 0, slack)) return {found.least, 0, found.low_row, i, i, rows_.size()};
      // Of rows that allow as little the last is named.
      found.high_row = i;
      found.greatest = first_that(0, found.greatest,
                                  [&](double epsilon) { return too_great(row, epsilon, slack); });
    }
  }
  if (!found.is_one_tie()) return found;
  for (std::size_t i = 0; i < rows_.size() && found.tie_row == rows_.size(); ++i) {
    if (!reaches(rows_[i], {found.least, found.greatest}, slack)) found.tie_row = i;
  }
  return found;
}

bool NarrowChain::Ends::is_one_tie() const {
  return least > 0 && least <= greatest && greatest <= least * (1 + kOneTie);
}

EpsilonRange NarrowChain::Ends::range(std::size_t rows) const {
  if (end < rows || tie_row < rows) return {};
  return {least, greatest == kGreatestEpsilon ? kInfinity : greatest};
}

RangeOfRows NarrowChain::range(double slack) const {
  const Ends found = ends(slack);
  note_range(slack, found, true);
  if (found.tie_row < rows_.size()) return {{}, found.tie_row, found.tie_row};
  return {found.range(rows_.size()), found.low_row, found.high_row};
}

EpsilonRange NarrowChain::epsilons(double slack) const {
  const Ends found = ends(slack);
  note_range(slack, found, false);
  return found.range(rows_.size());
}

void NarrowChain::note_range(double slack, const Ends& found, bool names_rows) const {
  if (extremes_ == nullptr) return;
  const RowKey end = key(found.end);
  if (found.end == rows_.size() && found.is_one_tie()) {
    note({ExtremeKind::kTie, slack, found.least, key(found.tie_row), kNoRow, found.greatest});
  }
  if (!names_rows && found.end == rows_.size()) {
    // No row comes before the first or behind the last: among equals any does.
    note({ExtremeKind::kEnd, slack, 0, end, kNoRow});
    note({ExtremeKind::kLow, slack, found.least, {0, 0}, kNoRow});
    note({ExtremeKind::kHigh, slack, found.greatest, kNoRow, kNoRow});
    note_ends(found);
    return;
  }
  note({ExtremeKind::kEnd, slack, 0, end, kNoRow});
  if (found.least >= 0) note({ExtremeKind::kLow, slack, found.least, key(found.low_row), end});
  if (found.end == rows_.size()) {
    note({ExtremeKind::kHigh, slack, found.greatest, key(found.high_row), kNoRow});
  }
}

void NarrowChain::note_ends(const Ends& found) const {
  if (extremes_ == nullptr) return;
  note({ExtremeKind::kNamed, 0, 0, key(found.low_row), kNoRow});
  note({ExtremeKind::kNamed, 0, 0, key(found.high_row), kNoRow});
  if (found.tie_row < rows_.size()) {
    note({ExtremeKind::kNamed, 0, 0, key(found.tie_row), kNoRow});
  }
}

bool NarrowChain::exceeds(const FitRow& row, const std::vector<Extreme>& extremes) const {
  const FitRow own = in_terms_of_scalar(row);
  return std::ranges::any_of(extremes,
                             [&](const Extreme& extreme) { return exceeds_one(own, extreme); });
}

bool NarrowChain::exceeds_one(const FitRow& row, const Extreme& extreme) const {
  const double at = extreme.at;
  const double value = extreme.value;
  const auto code_below = [&] {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) - 1);
  };
  if (!(row.key < extreme.before)) return false;
  switch (extreme.kind) {
    case ExtremeKind::kFirst:
      return row.key < extreme.row;
    case ExtremeKind::kNoNumber:
      return extreme.row == kNoRow && row.low > row.high;
    case ExtremeKind::kEnd:
      return row.key < extreme.row && has_none(row, at);
    case ExtremeKind::kLow:
      if (!great_enough(row, value, at)) return true;
      return value > 0 && row.key < extreme.row && !great_enough(row, code_below(), at);
    case ExtremeKind::kHigh:
      if (!too_great(row, value, at)) return false;
      return value == kGreatestEpsilon || row.key > extreme.row || too_great(row, code_below(), at);
    case ExtremeKind::kTie:
      return row.key < extreme.row && !reaches(row, {value, extreme.other}, at);
    case ExtremeKind::kNeedAfter:
      return (extreme.row == kNoRow || row.key > extreme.row) && !fits(row, at, value);
    case ExtremeKind::kNamed:
    case ExtremeKind::kLeastQ:
    case ExtremeKind::kGreatestQ:
    case ExtremeKind::kNeed:
    case ExtremeKind::kNeedBelow:
    case ExtremeKind::kNeedAbove:
      return false;
  }
  return false;
}

LeastSlack NarrowChain::least_slack(double enough) const {
  if (impossible_ < rows_.size()) return {kInfinity, 0};
  const auto middle = [](const EpsilonRange& range) {
    if (!(range.high < kInfinity)) return range.low;
    return range.low > 0 ? std::sqrt(range.low) * std::sqrt(range.high) : range.high / 2;
  };
  const auto range_of = [&](const Ends& ends) { return ends.range(rows_.size()); };
  Ends empty = ends(0);
  if (!range_of(empty).empty()) {
    note_range(0, empty, false);
    return {0, middle(range_of(empty))};
  }
  Ends found = ends(enough);
  if (range_of(found).empty()) {
    note_ends(found);
    found = ends(kMostSlack);
    note_range(kMostSlack, found, false);
    return range_of(found).empty() ? LeastSlack{kInfinity, 0} : LeastSlack{enough, 0};
  }
  double no = 0;
  double yes = enough;
  while (yes - no > 1e-3 * yes) {
    const double half = (no + yes) / 2;
    const Ends at_half = ends(half);
    if (range_of(at_half).empty()) {
      no = half;
      empty = at_half;
    } else {
      yes = half;
      found = at_half;
    }
  }
  // What is empty stays so with more rows, and with less freedom.
  note_ends(empty);
  note_range(yes, found, false);
  return {no, middle(range_of(found))};
}

}  // namespace normcert
