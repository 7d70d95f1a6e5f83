#include "inference/site_scan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "blocks/for_each_block.hpp"

namespace normcert {
namespace {

constexpr std::size_t kNamedStrays = 64;
constexpr std::size_t kFirstRows = 12;
constexpr std::size_t kBlockElements = std::size_t{1} << 15;

// What one block of rows adds.
struct BlockScan {
  RowCounts counts;
  std::vector<RowFacts> facts;
  std::vector<TailScan> tails;
};

class Scan {
 public:
  Scan(const ObservedNorm& norm, const TailList& list, bool with_strays)
      : norm_(norm), list_(list), with_strays_(with_strays) {}

  // Rows of a block; tails in `alive` only, each until a row refutes it.
  [[nodiscard]] BlockScan operator()(std::size_t first, std::size_t count,
                                     const std::vector<bool>& alive) const {
    RowScanner scanner(norm_, list_);
    BlockScan block;
    block.tails.resize(list_.tails.size());
    std::vector<bool> left = alive;
    for (std::size_t row = first; row < first + count; ++row) {
      const RowFacts& facts = scanner.load(row, block.counts);
      if (!facts.usable) continue;
      block.facts.push_back(facts);
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i]) left[i] = take(scanner, i, row, block.tails[i]);
      }
    }
    return block;
  }

  [[nodiscard]] bool take(RowScanner& scanner, std::size_t tail, std::size_t row,
                          TailScan& into) const {
    std::vector<std::size_t> strays;
    const ScalarInterval found =
        with_strays_ ? scanner.scan_with_strays(list_.tails[tail], kMostStraysOfRow, &strays)
                     : scanner.scan(list_.tails[tail]);
    if (found.empty()) {
      into.refuted = true;
      into.refuted_row = row;
      return false;
    }
    into.intervals.push_back(found);
    into.stray_count += strays.size();
    for (const std::size_t index : strays) {
      if (into.strays.size() < kNamedStrays) into.strays.push_back({0, row, index});
    }
    return true;
  }

 private:
  const ObservedNorm& norm_;
  const TailList& list_;
  bool with_strays_;
};

// Rows spread over the tensor, for which most tails are refuted at once.
std::vector<bool> alive_after_first_rows(const Scan& scan, const TailList& list, std::size_t rows) {
  std::vector<bool> alive(list.tails.size(), true);
  const std::size_t count = std::min(kFirstRows, rows);
  for (std::size_t i = 0; i < count; ++i) {
    const BlockScan one = scan(i * rows / count, 1, alive);
    for (std::size_t t = 0; t < alive.size(); ++t) {
      if (one.tails[t].refuted) alive[t] = false;
    }
  }
  return alive;
}

void merge(SiteScan& all, BlockScan block) {
  all.counts += block.counts;
  all.facts.insert(all.facts.end(), block.facts.begin(), block.facts.end());
  for (std::size_t i = 0; i < all.tails.size(); ++i) {
    TailScan& to = all.tails[i];
    TailScan& from = block.tails[i];
    if (to.refuted) continue;
    if (from.refuted) {
      to = {};
      to.refuted = true;
      to.refuted_row = from.refuted_row;
      continue;
    }
    to.intervals.insert(to.intervals.end(), from.intervals.begin(), from.intervals.end());
    to.stray_count += from.stray_count;
    for (const StrayElement& stray : from.strays) {
      if (to.strays.size() < kNamedStrays) to.strays.push_back(stray);
    }
  }
}

}  // namespace

std::size_t most_strays(std::size_t elements) { return std::max<std::size_t>(1, elements / 1000); }

SiteScan scan_site(const ObservedNorm& norm, bool with_strays, unsigned threads) {
  return scan_site(norm, tail_list(norm), with_strays, threads);
}

SiteScan scan_site(const ObservedNorm& norm, TailList list, bool with_strays, unsigned threads) {
  SiteScan result;
  result.norm = &norm;
  result.list = std::move(list);
  result.tails.resize(result.list.tails.size());
  result.sum_error = RowScanner(norm, result.list).sum_error();
  const std::size_t rows = norm.value->x.rows;
  const Scan scan(norm, result.list, with_strays);
  const std::vector<bool> alive = alive_after_first_rows(scan, result.list, rows);
  const std::size_t block_rows =
      std::max<std::size_t>(1, kBlockElements / std::max<std::size_t>(1, norm.value->x.width));
  for_each_block((rows + block_rows - 1) / block_rows, threads,
                 [&](std::size_t index) {
                   const std::size_t first = index * block_rows;
                   return scan(first, std::min(block_rows, rows - first), alive);
                 },
                 [&](std::size_t, BlockScan block) { merge(result, std::move(block)); });
  // Which of the first rows refutes is found again in order.
  for (std::size_t t = 0; t < alive.size(); ++t) {
    if (alive[t]) continue;
    result.tails[t].refuted = true;
    const std::size_t count = std::min(kFirstRows, rows);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<bool> only(alive.size(), false);
      only[t] = true;
      const std::size_t row = i * rows / count;
      if (!scan(row, 1, only).tails[t].refuted) continue;
      result.tails[t].refuted_row = row;
      break;
    }
  }
  const std::size_t most = most_strays(norm.value->x.size());
  for (TailScan& tail : result.tails) {
    if (!with_strays || tail.refuted || tail.stray_count <= most) continue;
    const std::size_t row = tail.strays.front().row;
    tail = {};
    tail.refuted = true;
    tail.refuted_row = row;
  }
  return result;
}

ElementWitness binding_element(const SiteScan& scan, std::size_t tail, std::size_t row,
                               bool asks_greatest) {
  RowScanner scanner(*scan.norm, scan.list);
  RowCounts unused;
  scanner.load(row, unused);
  const Tail& which = scan.list.tails[tail];
  const std::size_t index = scanner.binding_index(which, asks_greatest, {});
  return scanner.witness(which, index, asks_greatest);
}

Refutation refutation_by_row(const SiteScan& scan, std::size_t tail, std::size_t row) {
  Refutation refutation;
  refutation.first = binding_element(scan, tail, row, true);
  refutation.second = binding_element(scan, tail, row, false);
  refutation.low_asked = refutation.first.scalar_low;
  refutation.high_asked = refutation.second.scalar_high;
  const bool alone = !(refutation.first.scalar_low <= refutation.first.scalar_high);
  refutation.kind = alone ? RefutationKind::kElement : RefutationKind::kElements;
  return refutation;
}

}  // namespace normcert
