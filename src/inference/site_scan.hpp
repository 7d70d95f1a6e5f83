// All rows of one site against all tails: what every row allows, or which row refutes a tail.
#pragma once

#include <cstddef>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/row_scan.hpp"
#include "inference/tail_list.hpp"

namespace normcert {

struct TailScan {
  bool refuted = false;
  std::size_t refuted_row = 0;            // the first that has no scalar
  std::vector<ScalarInterval> intervals;  // one for each row that is kept, where not refuted
  std::vector<StrayElement> strays;       // site is not set
  std::size_t stray_count = 0;
};

struct SiteScan {
  const ObservedNorm* norm = nullptr;
  TailList list;
  RowCounts counts;
  double sum_error = 0;
  double q_min = 0;  // mean square of usable rows
  double q_max = 0;
  bool with_strays = false;
  bool complete = true;         // all usable rows are kept
  std::vector<RowFacts> facts;  // of usable rows that are kept
  std::vector<TailScan> tails;  // as in the list
};

// Which rows a scan keeps; all of them add to counts, refutations and strays.
class RowKeeper {
 public:
  RowKeeper() = default;
  RowKeeper(const RowKeeper&) = delete;
  RowKeeper& operator=(const RowKeeper&) = delete;
  virtual ~RowKeeper() = default;

  // `found` by tail, of those in `alive`. Any thread calls it.
  [[nodiscard]] virtual bool keeps(const RowFacts& facts, const std::vector<ScalarInterval>& found,
                                   const std::vector<bool>& alive) const = 0;
  // Between stretches of at most stretch() rows: `scan` is that of all rows before `row`, and some
  // of those that it keeps may be dropped.
  virtual void look_at(SiteScan& scan, std::size_t row) = 0;
  [[nodiscard]] virtual std::size_t stretch() const = 0;
};

// How many elements may be set apart: of a row, and of all that there are.
inline constexpr std::size_t kMostStraysOfRow = 4;
[[nodiscard]] std::size_t most_strays(std::size_t elements);

// `with_strays`: some elements may be set apart.
[[nodiscard]] SiteScan scan_site(const ObservedNorm& norm, bool with_strays, unsigned threads);
// The same for the tails of `list` alone; `keeper`: nullptr keeps all rows.
[[nodiscard]] SiteScan scan_site(const ObservedNorm& norm, TailList list, bool with_strays,
                                 unsigned threads, RowKeeper* keeper = nullptr);

// How many rows make a block of work.
[[nodiscard]] std::size_t rows_of_block(std::size_t width);

// Why no scalar of a refuted tail explains the row.
[[nodiscard]] Refutation refutation_by_row(const SiteScan& scan, std::size_t tail, std::size_t row);
// The element of a row that asks for the greatest (least) scalar.
[[nodiscard]] ElementWitness binding_element(const SiteScan& scan, std::size_t tail,
                                             std::size_t row, bool asks_greatest);

}  // namespace normcert
