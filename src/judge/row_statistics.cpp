#include "judge/row_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <ranges>
#include <span>
#include <unordered_map>
#include <utility>

#include "judge/block_plan.hpp"
#include "numeric/square_sum.hpp"
#include "reference/exact_row.hpp"

namespace normcert {
namespace {

// Classes end a third of their width beside numbers of few digits, where no ordinary q stands.
constexpr int kClassShift = 42;  // of a binary64's 52 bits behind the point 10 are kept
constexpr std::uint64_t kClassOffset = 0x155'5555'5555;

std::uint64_t class_of(double q) {
  return (std::bit_cast<std::uint64_t>(q) + kClassOffset) >> kClassShift;
}
double number_of(std::uint64_t index) { return std::bit_cast<double>(index << kClassShift); }

RowFigures figures_of(const Case& value, std::size_t row) {
  const ExactRow exact(value, row);
  const Wide mean_square = exact.mean_square();
  RowFigures figures{mean_square.to_binary64(), 0, exact.attenuation().wide().to_binary64()};
  const Wide epsilon(value.epsilon.binary64);
  if (epsilon.sign() > 0) figures.q_over_epsilon = (mean_square / epsilon).to_binary64();
  return figures;
}

// Exact figures of rows. Remembers some: rows with the same squares often follow one another, or
// take turns.
class ExactFigures {
 public:
  explicit ExactFigures(const Case& value) : case_(value) {}

  const RowFigures& of(std::size_t row) {
    for (Known& known : known_) {
      if (!same_squares(case_, row, known.row)) continue;
      known.row = row;  // likely to be at hand still
      return known.figures;
    }
    constexpr std::size_t kRemembered = 4;
    if (known_.size() < kRemembered) known_.emplace_back();
    Known& oldest = known_[next_++ % kRemembered];
    oldest = {row, figures_of(case_, row)};
    return oldest.figures;
  }

 private:
  struct Known {
    std::size_t row = 0;
    RowFigures figures;
  };

  const Case& case_;
  std::size_t next_ = 0;
  std::vector<Known> known_;
};

template <typename Choose>
void take(std::optional<RowFigures>& into, const RowFigures& other, Choose choose) {
  if (!into) {
    into = other;
    return;
  }
  into->q = choose(into->q, other.q);
  into->q_over_epsilon = choose(into->q_over_epsilon, other.q_over_epsilon);
  into->attenuation = choose(into->attenuation, other.attenuation);
}

void take_less(std::optional<RowFigures>& into, const RowFigures& other) {
  take(into, other, [](double a, double b) { return std::min(a, b); });
}
void take_greater(std::optional<RowFigures>& into, const RowFigures& other) {
  take(into, other, [](double a, double b) { return std::max(a, b); });
}

// The class that holds the lower median, as its number.
double median_of(const RowStatistics& statistics) {
  std::uint64_t before = 0;
  for (const auto& [index, count] : statistics.q_counts) {
    before += count;
    if (before > (statistics.rows_finite - 1) / 2) return number_of(index);
  }
  return 0;
}

// Whether the row's sum, as computed, is the exact one: that of a row with a gate is computed
// otherwise.
bool has_exact_sum(const Case& rows, std::size_t row) {
  return !rows.residual && !rows.gate &&
         square_sum_is_exact(*rows.x.format, rows.x.row_bytes(row).data(), rows.x.width);
}

// Adds a row to those that one figure has to be formed of, unless one of the last of them has the
// same sum.
void add_unless_alike(const Case& rows, const std::vector<RowSum>& sums, std::size_t row,
                      std::vector<std::size_t>& into) {
  constexpr std::size_t kAsked = 4;
  const auto alike = [&](std::size_t other) {
    if (sums[row].value != sums[other].value) return false;
    return (has_exact_sum(rows, row) && has_exact_sum(rows, other)) ||
           same_squares(rows, row, other);
  };
  const std::size_t asked = std::min(kAsked, into.size());
  if (std::ranges::none_of(std::span(into).last(asked), alike)) into.push_back(row);
}

void find_extremes(const Case& rows, RowScan& scan) {
  for (const RowSum& sum : scan.sums) {
    if (!sum.finite) continue;
    ++scan.rows_finite;
    scan.least_high = std::min(scan.least_high, sum.high);
    scan.greatest_low = std::max(scan.greatest_low, sum.low);
  }
  for (std::size_t row = 0; row < scan.sums.size(); ++row) {
    const RowSum& sum = scan.sums[row];
    if (!sum.finite) continue;
    if (sum.low <= scan.least_high) add_unless_alike(rows, scan.sums, row, scan.may_be_least);
    if (sum.high >= scan.greatest_low) add_unless_alike(rows, scan.sums, row, scan.may_be_greatest);
  }
}

double nth(std::vector<double> values, std::size_t n) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(n));
  return values[n];
}

}  // namespace

void RowStatistics::merge(const RowStatistics& other) {
  rows_non_finite += other.rows_non_finite;
  rows_finite += other.rows_finite;
  if (other.least) take_less(least, *other.least);
  if (other.greatest) take_greater(greatest, *other.greatest);
  if (other.median) median = other.median;  // at most 4096 rows are never divided
  for (const auto& [index, count] : other.q_counts) q_counts[index] += count;
}

void describe_rows(const RowStatistics& statistics, double epsilon, CaseSummary& summary) {
  summary.rows_non_finite = statistics.rows_non_finite;
  if (!statistics.least || !statistics.greatest) return;
  const RowFigures& least = *statistics.least;
  const RowFigures& greatest = *statistics.greatest;
  RowFigures median;
  std::optional<double> within;
  if (statistics.median) {
    median = *statistics.median;
  } else {
    const double q = std::clamp(median_of(statistics), least.q, greatest.q);
    within = kMedianWithin;
    median = {q, std::clamp(q / epsilon, least.q_over_epsilon, greatest.q_over_epsilon),
              std::clamp(1 / std::sqrt(1 + epsilon / q), least.attenuation, greatest.attenuation)};
  }
  summary.q = Spread{least.q, median.q, greatest.q, within};
  summary.attenuation = Spread{least.attenuation, median.attenuation, greatest.attenuation, within};
  if (epsilon > 0) {
    summary.q_over_epsilon =
        Spread{least.q_over_epsilon, median.q_over_epsilon, greatest.q_over_epsilon, within};
  }
}

RowScan scan_rows(const Case& rows, bool with_histogram) {
  RowScan scan;
  scan.sums = row_sums(rows, 0, rows.x.rows);
  find_extremes(rows, scan);
  if (!with_histogram) return scan;
  scan.q_classes.reserve(scan.rows_finite);
  ExactFigures exact(rows);
  const auto width = static_cast<double>(rows.x.width);
  for (std::size_t row = 0; row < scan.sums.size(); ++row) {
    const RowSum& sum = scan.sums[row];
    if (!sum.finite) continue;
    // Dividing and rounding keep the order: between these two lies q as it would be printed.
    const std::uint64_t low = class_of(sum.low / width);
    const std::uint64_t high = class_of(sum.high / width);
    scan.q_classes.push_back(low == high ? low : class_of(exact.of(row).q));
  }
  return scan;
}

class RowStatisticsBuilder::Extremes {
 public:
  explicit Extremes(const JudgedCase& judged)
      : judged_(judged), exact_(judged.value), keeps_rows_(!needs_histogram(judged)) {}

  void add(std::size_t first, const RowScan& scan) {
    statistics_.rows_finite += scan.rows_finite;
    statistics_.rows_non_finite += scan.sums.size() - scan.rows_finite;
    for (const std::uint64_t index : scan.q_classes) ++q_counts_[index];
    least_high_ = std::min(least_high_, scan.least_high);
    greatest_low_ = std::max(greatest_low_, scan.greatest_low);
    const auto row_of = [&](std::size_t i) {
      return Row{judged_.chosen_rows ? (*judged_.chosen_rows)[first + i] : first + i, scan.sums[i]};
    };
    for (const std::size_t i : scan.may_be_least) {
      if (scan.sums[i].low <= least_high_) may_be_least_.push_back(row_of(i));
    }
    for (const std::size_t i : scan.may_be_greatest) {
      if (scan.sums[i].high >= greatest_low_) may_be_greatest_.push_back(row_of(i));
    }
    for (std::size_t i = 0; keeps_rows_ && i < scan.sums.size(); ++i) {
      if (scan.sums[i].finite) rows_.push_back(row_of(i));
    }
    if (may_be_least_.size() > kMostWaiting) settle_least();
    if (may_be_greatest_.size() > kMostWaiting) settle_greatest();
  }

  RowStatistics finish() {
    settle_least();
    settle_greatest();
    if (!rows_.empty()) statistics_.median = median();
    statistics_.q_counts = {q_counts_.begin(), q_counts_.end()};
    return std::move(statistics_);
  }

 private:
  using Row = std::pair<std::size_t, RowSum>;

  // Rows wait to be evaluated exactly until there are many, for most of them are surpassed by then.
  static constexpr std::size_t kMostWaiting = 64;

  void settle_least() {
    for (const auto& [row, sum] : may_be_least_) {
      if (sum.low <= least_high_) take_less(statistics_.least, exact_.of(row));
    }
    may_be_least_.clear();
  }
  void settle_greatest() {
    for (const auto& [row, sum] : may_be_greatest_) {
      if (sum.high >= greatest_low_) take_greater(statistics_.greatest, exact_.of(row));
    }
    may_be_greatest_.clear();
  }

  // The n-th smallest sum lies between the n-th smallest lower and the n-th smallest upper bound;
  // rows that may lie there too are evaluated, those certainly below are counted.
  RowFigures median() {
    const std::size_t n = (rows_.size() - 1) / 2;
    const auto bounds = [&](double RowSum::*end) {
      std::vector<double> values;
      for (const auto& [row, sum] : rows_) values.push_back(sum.*end);
      return values;
    };
    const double low = nth(bounds(&RowSum::low), n);
    const double high = nth(bounds(&RowSum::high), n);
    std::size_t below = 0;
    std::vector<double> q;
    std::vector<double> ratio;
    std::vector<double> attenuation;
    for (const auto& [row, sum] : rows_) {
      if (sum.high < low) ++below;
      if (sum.high < low || sum.low > high) continue;
      const RowFigures& figures = exact_.of(row);
      q.push_back(figures.q);
      ratio.push_back(figures.q_over_epsilon);
      attenuation.push_back(figures.attenuation);
    }
    const std::size_t at = n - below;
    return {nth(std::move(q), at), nth(std::move(ratio), at), nth(std::move(attenuation), at)};
  }

  const JudgedCase& judged_;
  ExactFigures exact_;
  bool keeps_rows_;
  double least_high_ = std::numeric_limits<double>::infinity();
  double greatest_low_ = 0;
  RowStatistics statistics_;
  std::vector<Row> may_be_least_;
  std::vector<Row> may_be_greatest_;
  std::vector<Row> rows_;  // finite ones
  std::unordered_map<std::uint64_t, std::uint64_t> q_counts_;
};

RowStatisticsBuilder::RowStatisticsBuilder(const JudgedCase& judged)
    : extremes_(std::make_unique<Extremes>(judged)) {}
RowStatisticsBuilder::~RowStatisticsBuilder() = default;

bool RowStatisticsBuilder::needs_histogram(const JudgedCase& judged) {
  return rows_judged(judged) > kUnitRows;
}
void RowStatisticsBuilder::add(std::size_t first, const RowScan& scan) {
  extremes_->add(first, scan);
}
RowStatistics RowStatisticsBuilder::finish() { return extremes_->finish(); }

}  // namespace normcert
