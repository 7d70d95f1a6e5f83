#include "inference/kept_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "inference/hypothesis_judge.hpp"
#include "inference/row_checks.hpp"

namespace normcert {
namespace {

void drop_rows(SiteScan& scan, const std::vector<bool>& stays) {
  const auto drop = [&](auto& list) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < stays.size(); ++i) {
      if (stays[i]) list[to++] = std::move(list[i]);
    }
    list.resize(to);
  };
  for (TailScan& tail : scan.tails) {
    if (!tail.refuted) drop(tail.intervals);
  }
  drop(scan.facts);
  scan.complete = false;
}

// Judges what it keeps, again when twice as many rows have been seen or too many wait, and takes
// only rows that exceed what that rests on.
class NamedRows : public RowKeeper {
 public:
  NamedRows(std::size_t keep, unsigned threads) : keep_(keep), threads_(threads) {}

  bool keeps(const RowFacts& facts, const std::vector<ScalarInterval>& found,
             const std::vector<bool>& alive) const override {
    return !checks_ || checks_->exceeds(facts, found, alive);
  }

  void look_at(SiteScan& scan, std::size_t row) override {
    const std::size_t waiting = scan.facts.size() - kept_;
    const bool many_more = checks_ && row >= 2 * judged_;
    if (waiting <= keep_ && (waiting == 0 || !many_more)) return;
    judge(scan);
    kept_ = scan.facts.size();
    judged_ = row;
  }

  std::size_t stretch() const override { return std::max<std::size_t>(1, keep_ / 2); }

 private:
  void judge(SiteScan& scan) {
    const SiteScan* const view = &scan;
    const std::size_t site = 0;
    std::vector<std::size_t> tails;
    for (std::size_t t = 0; t < scan.tails.size(); ++t) {
      if (!scan.tails[t].refuted) tails.push_back(t);
    }
    std::vector<TailTrace> traces;
    for_each_block(
        tails.size(), threads_,
        [&](std::size_t i) {
          std::vector<TailTrace> of_tail;
          (void)judge_tail({&view, 1}, {&site, 1}, tails[i], {.traces = &of_tail});
          return std::move(of_tail[tails[i]]);
        },
        [&](std::size_t, TailTrace trace) { traces.push_back(std::move(trace)); });
    // What mattered once may well matter again, unless that is true of too many rows.
    if (named_before_ > keep_) named_before_ = 0;
    std::vector<bool> stays(scan.facts.size(), false);
    std::fill_n(stays.begin(), named_before_, true);
    const std::vector<RowKey> named = named_rows(traces);
    for (std::size_t i = named_before_; i < stays.size(); ++i) {
      stays[i] = std::ranges::binary_search(named, RowKey{0, scan.facts[i].row});
    }
    drop_rows(scan, stays);
    named_before_ = scan.facts.size();
    checks_.emplace(traces, scan, 0);
  }

  std::size_t keep_;
  unsigned threads_;
  std::size_t kept_ = 0;  // rows that the last judgement kept
  std::size_t judged_ = 0;
  std::size_t named_before_ = 0;
  std::optional<RowChecks> checks_;
};

// Rows beside those that are kept.
struct OtherRows {
  std::vector<RowFacts> facts;
  std::vector<std::vector<ScalarInterval>> found;  // of each row, by tail
};

OtherRows exceeding_rows(const SiteScan& scan, const RowChecks& checks, std::size_t first,
                         std::size_t count) {
  RowScanner scanner(*scan.norm, scan.list);
  RowCounts unused;
  OtherRows others;
  const std::vector<bool> checked = checks.tails(scan.tails.size());
  std::vector<ScalarInterval> found(checked.size());
  const auto find = [&](bool of_checked) {
    for (std::size_t t = 0; t < checked.size(); ++t) {
      if (scan.tails[t].refuted || checked[t] != of_checked) continue;
      const Tail& tail = scan.list.tails[t];
      found[t] = scan.with_strays ? scanner.scan_with_strays(tail, kMostStraysOfRow, nullptr)
                                  : scanner.scan(tail);
    }
  };
  for (std::size_t row = first; row < first + count; ++row) {
    const RowFacts& facts = scanner.load(row, unused);
    if (!facts.usable) continue;
    find(true);
    if (!checks.exceeds(facts, found, checked)) continue;
    find(false);
    others.facts.push_back(facts);
    others.found.push_back(found);
  }
  return others;
}

// In the order of rows. False: all were there.
bool add_rows(SiteScan& scan, const OtherRows& others) {
  bool any = false;
  for (std::size_t i = 0; i < others.facts.size(); ++i) {
    const auto place =
        std::ranges::lower_bound(scan.facts, others.facts[i].row, {}, &RowFacts::row);
    if (place != scan.facts.end() && place->row == others.facts[i].row) continue;
    const std::ptrdiff_t index = place - scan.facts.begin();
    scan.facts.insert(place, others.facts[i]);
    for (std::size_t t = 0; t < scan.tails.size(); ++t) {
      std::vector<ScalarInterval>& intervals = scan.tails[t].intervals;
      if (!scan.tails[t].refuted) intervals.insert(intervals.begin() + index, others.found[i][t]);
    }
    any = true;
  }
  return any;
}

}  // namespace

SiteScan scan_site_in_part(const ObservedNorm& norm, bool with_strays, std::size_t keep,
                           unsigned threads) {
  return scan_site_in_part(norm, tail_list(norm), with_strays, keep, threads);
}

SiteScan scan_site_in_part(const ObservedNorm& norm, TailList list, bool with_strays,
                           std::size_t keep, unsigned threads) {
  NamedRows keeper(std::max<std::size_t>(1, keep), threads);
  return scan_site(norm, std::move(list), with_strays, threads, &keeper);
}

bool add_exceeding_rows(std::span<SiteScan* const> scans, const std::vector<TailTrace>& traces,
                        const std::vector<TailTrace>& held, unsigned threads) {
  bool any = false;
  for (std::size_t k = 0; k < scans.size(); ++k) {
    SiteScan& scan = *scans[k];
    if (scan.complete) continue;
    const RowChecks checks(traces, scan, k, held);
    if (checks.empty()) continue;
    const std::size_t rows = scan.norm->value->x.rows;
    const std::size_t block_rows = rows_of_block(scan.norm->value->x.width);
    OtherRows others;
    for_each_block((rows + block_rows - 1) / block_rows, threads,
                   [&](std::size_t index) {
                     const std::size_t first = index * block_rows;
                     return exceeding_rows(scan, checks, first, std::min(block_rows, rows - first));
                   },
                   [&](std::size_t, OtherRows found) {
                     std::ranges::move(found.facts, std::back_inserter(others.facts));
                     std::ranges::move(found.found, std::back_inserter(others.found));
                   });
    any = add_rows(scan, others) || any;
  }
  return any;
}

void keep_named_rows(SiteScan& scan, std::size_t index, const std::vector<TailTrace>& traces) {
  const std::vector<RowKey> named = named_rows(traces);
  std::vector<bool> stays(scan.facts.size());
  for (std::size_t i = 0; i < stays.size(); ++i) {
    stays[i] = std::ranges::binary_search(named, RowKey{index, scan.facts[i].row});
  }
  drop_rows(scan, stays);
}

}  // namespace normcert
