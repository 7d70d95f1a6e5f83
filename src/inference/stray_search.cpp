#include "inference/stray_search.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "blocks/for_each_block.hpp"
#include "inference/hypothesis_judge.hpp"
#include "inference/hypothesis_order.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMostSetApart = 4;
// Elements that are tried for each one that is set apart: fewer where there are many rows, each of
// which is judged again. What one stray did to the truth is small beside what another function
// needs, so the truth is among the nearest.
constexpr std::size_t kMostTried = 16;
constexpr std::size_t kLeastTried = 4;
constexpr std::size_t kRowsTried = std::size_t{1} << 17;

using Survivors = std::vector<EliminatedHypothesis>;

// One site for one tail, with elements set apart.
class SiteWithStrays {
 public:
  SiteWithStrays(const SiteScan& scan, std::size_t tail) : tail_(tail) {
    scan_.norm = scan.norm;
    scan_.list = scan.list;
    scan_.counts = scan.counts;
    scan_.sum_error = scan.sum_error;
    scan_.complete = scan.complete;
    scan_.facts = scan.facts;
    scan_.tails.resize(scan.tails.size());
    scan_.tails[tail] = scan.tails[tail];
  }

  [[nodiscard]] const SiteScan& scan() const { return scan_; }

  struct Change {
    std::size_t place = 0;  // among the usable rows
    ScalarInterval interval;
    StrayElement stray;
  };

  // The element at an end of what the row allows, and what it allows without; nothing where too
  // many elements are set apart already or nothing changes.
  [[nodiscard]] std::optional<Change> without_end(std::size_t row, bool asks_greatest) const {
    const TailScan& found = scan_.tails[tail_];
    const auto place = std::ranges::lower_bound(scan_.facts, row, {}, &RowFacts::row);
    const auto index = static_cast<std::size_t>(place - scan_.facts.begin());
    const ScalarInterval& before = found.intervals[index];
    if (found.stray_count + 1 > most_strays(scan_.norm->value->x.size()) ||
        before.strays + 1 > kMostStraysOfRow) {
      return std::nullopt;
    }
    RowScanner scanner(*scan_.norm, scan_.list);
    RowCounts unused;
    scanner.load(row, unused);
    const Tail& tail = scan_.list.tails[tail_];
    std::vector<std::size_t> apart = set_apart(scanner, row, before);
    const std::size_t end = scanner.binding_index(tail, asks_greatest, apart);
    apart.push_back(end);
    const ScalarInterval after = scanner.scan_without(tail, apart);
    if (after.empty() || (after.low == before.low && after.high == before.high)) {
      return std::nullopt;
    }
    return Change{index, after, {0, row, end}};
  }

  void apply(const Change& change) {
    TailScan& tail = scan_.tails[tail_];
    tail.intervals[change.place] = change.interval;
    tail.strays.push_back(change.stray);
    ++tail.stray_count;
    changed_.push_back(change.stray.row);
  }
  void take_back(const Change& change, const ScalarInterval& interval) {
    TailScan& tail = scan_.tails[tail_];
    tail.intervals[change.place] = interval;
    tail.strays.pop_back();
    --tail.stray_count;
    changed_.pop_back();
  }
  [[nodiscard]] const std::vector<std::size_t>& changed_rows() const { return changed_; }
  [[nodiscard]] const ScalarInterval& interval(const Change& change) const {
    return scan_.tails[tail_].intervals[change.place];
  }

 private:
  // Elements of a row that are set apart already.
  [[nodiscard]] std::vector<std::size_t> set_apart(RowScanner& scanner, std::size_t row,
                                                   const ScalarInterval& interval) const {
    std::vector<std::size_t> apart;
    if (interval.strays == 0) return apart;
    for (const StrayElement& stray : scan_.tails[tail_].strays) {
      if (stray.row == row) apart.push_back(stray.index);
    }
    if (apart.size() == interval.strays) return apart;
    // Not all of them are named.
    apart.clear();
    (void)scanner.scan_with_strays(scan_.list.tails[tail_], kMostStraysOfRow, &apart);
    return apart;
  }

  std::size_t tail_;
  SiteScan scan_;
  std::vector<std::size_t> changed_;
};

// One tail on all sites. Each step sets one element more apart.
class TailSearch {
 public:
  TailSearch(std::span<const SiteScan* const> scans, std::span<const std::size_t> sites,
             std::size_t tail)
      : given_(sites), tail_(tail) {
    for (const SiteScan* const scan : scans) sites_.emplace_back(*scan, tail);
    std::size_t rows = 1;
    for (const SiteWithStrays& site : sites_) {
      views_.push_back(&site.scan());
      rows += site.scan().counts.judged;
      complete_ = complete_ && site.scan().complete;
    }
    tried_ = std::clamp(kRowsTried / rows, kLeastTried, kMostTried);
    (void)judge(binding_);
  }

  // What survives with one element more than before. If nothing does, the element that brings some
  // hypothesis nearest stays apart.
  [[nodiscard]] Survivors step() {
    Survivors all;
    double nearest = std::numeric_limits<double>::infinity();
    std::optional<std::pair<std::size_t, SiteWithStrays::Change>> best;
    std::vector<BindingElement> next;
    for (const BindingElement& element : candidates()) {
      SiteWithStrays& site = sites_[element.scan];
      const auto change = site.without_end(element.row, element.asks_greatest);
      if (!change) continue;
      const ScalarInterval before = site.interval(*change);
      site.apply(*change);
      std::vector<BindingElement> binding;
      for (EliminatedHypothesis& one : judge(binding)) {
        if (one.status == HypothesisStatus::kSurvives) merge_into(all, std::move(one));
      }
      site.take_back(*change, before);
      for (const BindingElement& other : binding) {
        if (!(other.slack < nearest)) continue;
        nearest = other.slack;
        best = {element.scan, *change};
        next = binding;
      }
    }
    binding_.clear();
    if (!best) return all;
    sites_[best->first].apply(best->second);
    binding_ = std::move(next);
    return all;
  }

  [[nodiscard]] std::vector<TailTrace> take_traces() { return std::move(traces_); }

 private:
  [[nodiscard]] Survivors judge(std::vector<BindingElement>& binding) {
    if (complete_) return judge_tail(views_, given_, tail_, {.binding = &binding});
    std::vector<TailTrace> traces;
    Survivors found = judge_tail(views_, given_, tail_, {.binding = &binding, .traces = &traces});
    TailTrace& trace = traces[tail_];
    for (std::size_t k = 0; k < sites_.size(); ++k) {
      for (const std::size_t row : sites_[k].changed_rows()) trace.changed.push_back({k, row});
    }
    traces_.push_back(std::move(trace));
    return found;
  }

  // Each once, those of the nearest hypotheses first.
  [[nodiscard]] std::vector<BindingElement> candidates() const {
    std::vector<BindingElement> sorted = binding_;
    std::ranges::stable_sort(sorted, {}, &BindingElement::slack);
    std::vector<BindingElement> list;
    for (const BindingElement& one : sorted) {
      const bool known = std::ranges::any_of(list, [&](const BindingElement& other) {
        return other.scan == one.scan && other.row == one.row &&
               other.asks_greatest == one.asks_greatest;
      });
      if (!known && list.size() < tried_) list.push_back(one);
    }
    return list;
  }

  std::span<const std::size_t> given_;
  std::size_t tail_;
  std::size_t tried_ = kLeastTried;
  bool complete_ = true;
  std::vector<TailTrace> traces_;
  std::vector<SiteWithStrays> sites_;
  std::vector<const SiteScan*> views_;
  std::vector<BindingElement> binding_;
};

}  // namespace

bool set_strays_apart(std::span<const SiteScan* const> scans, std::span<const std::size_t> sites,
                      unsigned threads, std::vector<EliminatedHypothesis>& hypotheses,
                      std::vector<TailTrace>* traces) {
  std::vector<std::unique_ptr<TailSearch>> searches;
  for (std::size_t tail = 0; tail < scans.front()->list.tails.size(); ++tail) {
    const bool refuted =
        std::ranges::any_of(scans, [&](const SiteScan* scan) { return scan->tails[tail].refuted; });
    if (!refuted) searches.push_back(std::make_unique<TailSearch>(scans, sites, tail));
  }
  bool found = false;
  for (std::size_t apart = 1; apart <= kMostSetApart && !found; ++apart) {
    for_each_block(
        searches.size(), threads, [&](std::size_t i) { return searches[i]->step(); },
        [&](std::size_t, Survivors survivors) {
          for (EliminatedHypothesis& one : survivors) {
            found = true;
            merge_into(hypotheses, std::move(one));
          }
        });
  }
  if (found) put_in_order(hypotheses);
  if (traces != nullptr) {
    for (const auto& search : searches) {
      std::ranges::move(search->take_traces(), std::back_inserter(*traces));
    }
  }
  return found;
}

}  // namespace normcert
