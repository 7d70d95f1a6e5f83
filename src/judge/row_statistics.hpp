// What describes the rows of a case - mean square q, q/epsilon, attenuation - as least, median and
// greatest, without an exact evaluation of every row: all three grow with the row's sum of squares,
// so bounds of that sum (reference/row_sums.hpp) name the few rows that can be one of them.
//
// The median of at most 4096 rows is exact; that of more is read from a histogram of q whose
// classes are 2^-10 wide, which merges from any division of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "judge/case_rows.hpp"
#include "reference/row_sums.hpp"

namespace normcert {

// Of one row, each *correctly rounded* to binary64 from 256 bits. The ratio is 0 for epsilon 0.
struct RowFigures {
  double q = 0;
  double q_over_epsilon = 0;
  double attenuation = 0;
};

// Relative width of the histogram's classes: a median read from it is that near to the true one.
inline constexpr double kMedianWithin = 0x1p-10;

struct RowStatistics {
  std::uint64_t rows_non_finite = 0;
  std::uint64_t rows_finite = 0;
  // Each figure by itself; none without finite rows.
  std::optional<RowFigures> least;
  std::optional<RowFigures> greatest;
  std::optional<RowFigures> median;                 // the lower one; of at most 4096 rows
  std::map<std::uint64_t, std::uint64_t> q_counts;  // class -> rows; of more rows

  // Of other rows of the same case, in any order.
  void merge(const RowStatistics& other);
};

// Fills q, q/epsilon (where epsilon > 0) and attenuation.
void describe_rows(const RowStatistics& statistics, double epsilon, CaseSummary& summary);

// What a block contributes; made by any thread.
struct RowScan {
  std::vector<RowSum> sums;
  std::size_t rows_finite = 0;
  double least_high = std::numeric_limits<double>::infinity();  // of the finite rows' sums
  double greatest_low = 0;
  // The rows that may hold the least and the greatest sum of the block: all whose bounds reach the
  // two above. Of rows with the same squares that follow one another the first stands for all.
  std::vector<std::size_t> may_be_least;
  std::vector<std::size_t> may_be_greatest;
  // Of the finite rows, if there are more than 4096 in the case.
  std::vector<std::uint64_t> q_classes;
};
[[nodiscard]] RowScan scan_rows(const Case& rows, bool with_histogram);

// Takes the blocks of a case one after the other.
class RowStatisticsBuilder {
 public:
  explicit RowStatisticsBuilder(const JudgedCase& judged);
  ~RowStatisticsBuilder();
  RowStatisticsBuilder(const RowStatisticsBuilder&) = delete;
  RowStatisticsBuilder& operator=(const RowStatisticsBuilder&) = delete;

  [[nodiscard]] static bool needs_histogram(const JudgedCase& judged);
  // Rows first ... of those that are judged.
  void add(std::size_t first, const RowScan& scan);
  [[nodiscard]] RowStatistics finish();

 private:
  class Extremes;
  std::unique_ptr<Extremes> extremes_;
};

}  // namespace normcert
