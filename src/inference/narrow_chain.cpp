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
                         const FloatFormat& format, double q_error)
    : rows_(rows),
      steps_(steps),
      grid_(format),
      error_(q_error + 0x1p-49),
      impossible_(rows.size()) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    FitRow& row = rows_[i];
    if (steps_.divides) {
      const double low = 1 / row.high * (1 - error_);
      row.high = 1 / row.low * (1 + error_);
      row.low = low;
    }
    if (!steps_.scalar) continue;
    row.low = grid_.ceiling(row.low);
    if (row.high <= grid_.greatest()) row.high = grid_.floor(row.high);
    if (row.low > row.high && impossible_ == rows_.size()) impossible_ = i;
  }
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
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto fits = [&](double freedom) {
      const Scalars found = scalars(rows_[i], epsilon, freedom);
      return found.low <= rows_[i].high && found.high >= rows_[i].low;
    };
    if (fits(slack)) continue;
    if (row != nullptr) *row = i;
    if (!fits(kMostSlack)) return kInfinity;
    double no = slack;
    double yes = kMostSlack;
    while (yes - no > 1e-6 * yes) {
      const double half = (no + yes) / 2;
      (fits(half) ? yes : no) = half;
    }
    slack = no;
  }
  return slack;
}

// The scalar falls with epsilon, rms grows; in one pass each, because an end only moves inward.
RangeOfRows NarrowChain::range(double slack) const {
  RangeOfRows result{{0, kInfinity}, 0, 0};
  double least = 0;
  double greatest = kGreatestEpsilon;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const FitRow& row = rows_[i];
    const auto great_enough = [&](double epsilon) {
      const Scalars found = scalars(row, epsilon, slack);
      return steps_.divides ? found.high >= row.low : found.low <= row.high;
    };
    const auto too_great = [&](double epsilon) {
      const Scalars found = scalars(row, epsilon, slack);
      return steps_.divides ? found.low > row.high : found.high < row.low;
    };
    if (!great_enough(least)) {
      result.low_row = i;
      if (!great_enough(kGreatestEpsilon)) return {{}, i, i};
      least = first_that(least, kGreatestEpsilon, great_enough);
    }
    if (too_great(greatest)) {
      result.high_row = i;
      if (too_great(0)) return {{}, result.low_row, i};
      greatest = first_that(0, greatest, too_great);
    }
  }
  if (least > 0 && least <= greatest && greatest <= least * (1 + kOneTie)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!reaches(rows_[i], {least, greatest}, slack)) return {{}, i, i};
    }
  }
  result.range.low = least;
  result.range.high = greatest == kGreatestEpsilon ? kInfinity : greatest;
  return result;
}

LeastSlack NarrowChain::least_slack(double enough) const {
  if (impossible_ < rows_.size()) return {kInfinity, 0};
  const auto middle = [](const EpsilonRange& range) {
    if (!(range.high < kInfinity)) return range.low;
    return range.low > 0 ? std::sqrt(range.low) * std::sqrt(range.high) : range.high / 2;
  };
  EpsilonRange found = range(0).range;
  if (!found.empty()) return {0, middle(found)};
  found = range(enough).range;
  if (found.empty()) {
    return range(kMostSlack).range.empty() ? LeastSlack{kInfinity, 0} : LeastSlack{enough, 0};
  }
  double no = 0;
  double yes = enough;
  while (yes - no > 1e-3 * yes) {
    const double half = (no + yes) / 2;
    const EpsilonRange at_half = range(half).range;
    if (at_half.empty()) {
      no = half;
    } else {
      yes = half;
      found = at_half;
    }
  }
  return {no, middle(found)};
}

}  // namespace normcert
