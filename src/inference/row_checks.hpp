// Rows that were left out of a judgement, held against what it rests on.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "inference/site_scan.hpp"
#include "inference/tail_trace.hpp"

namespace normcert {

class RowChecks {
 public:
  // Of rows of the scan that is number `index` in the traces. What is in `held` too needs no check:
  // no row exceeded it, or those that did are kept.
  RowChecks(std::span<const TailTrace> traces, const SiteScan& scan, std::size_t index,
            std::span<const TailTrace> held = {});

  [[nodiscard]] bool empty() const { return tails_.empty(); }
  // Which of so many are checked.
  [[nodiscard]] std::vector<bool> tails(std::size_t count) const;

  // Whether the judgement may be another one with this row. `found` by tail, of those in `alive`.
  [[nodiscard]] bool exceeds(const RowFacts& facts, const std::vector<ScalarInterval>& found,
                             const std::vector<bool>& alive) const;

 private:
  struct Fit {
    std::variant<EpsilonFit, NarrowChain> by;
    std::vector<Extreme> extremes;
  };
  struct Rows {
    RowsOrigin origin;
    std::vector<Fit> fits;
  };
  struct OfTail {
    std::size_t tail = 0;
    std::vector<std::size_t> changed;  // rows that this judgement had otherwise
    std::vector<Rows> rows;
  };

  [[nodiscard]] bool exceeds(const Rows& rows, const RowFacts& facts,
                             const ScalarInterval& interval) const;

  const TailList& list_;
  const FloatFormat& y_;
  FloatGrid x_grid_;
  std::size_t index_;
  std::vector<OfTail> tails_;
};

}  // namespace normcert
