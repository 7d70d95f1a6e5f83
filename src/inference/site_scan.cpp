#include "inference/site_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
  double q_min = std::numeric_limits<double>::infinity();
  double q_max = 0;
  std::vector<RowFacts> facts;
  std::vector<TailScan> tails;
};

class Scan {
 public:
  Scan(const ObservedNorm& norm, const TailList& list, bool with_strays, const RowKeeper* keeper)
      : norm_(norm), list_(list), with_strays_(with_strays), keeper_(keeper) {}

  // Rows of a block; tails in `alive` only, each until a row refutes it.
  [[nodiscard]] BlockScan operator()(std::size_t first, std::size_t count,
                                     const std::vector<bool>& alive) const {
    RowScanner scanner(norm_, list_);
    BlockScan block;
    block.tails.resize(list_.tails.size());
    std::vector<bool> left = alive;
    std::vector<ScalarInterval> found(left.size());
    const auto width = static_cast<double>(norm_.value->x.width);
    for (std::size_t row = first; row < first + count; ++row) {
      const RowFacts& facts = scanner.load(row, block.counts);
      if (!facts.usable) continue;
      const double q = facts.square_sum[0] / width;
      block.q_min = std::min(block.q_min, q);
      block.q_max = std::max(block.q_max, q);
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i]) left[i] = take(scanner, i, row, block.tails[i], found[i]);
      }
      if (keeper_ != nullptr && !keeper_->keeps(facts, found, left)) continue;
      block.facts.push_back(facts);
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i]) block.tails[i].intervals.push_back(found[i]);
      }
    }
    return block;
  }

  [[nodiscard]] bool take(RowScanner& scanner, std::size_t tail, std::size_t row, TailScan& into,
                          ScalarInterval& found) const {
    std::vector<std::size_t> strays;
    found = with_strays_ ? scanner.scan_with_strays(list_.tails[tail], kMostStraysOfRow, &strays)
                         : scanner.scan(list_.tails[tail]);
    if (found.empty()) {
      into.refuted = true;
      into.refuted_row = row;
      return false;
    }
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
  const RowKeeper* keeper_;
};

std::vector<bool> alive_tails(const SiteScan& scan) {
  std::vector<bool> alive(scan.tails.size());
  for (std::size_t t = 0; t < alive.size(); ++t) alive[t] = !scan.tails[t].refuted;
  return alive;
}

// Rows spread over the tensor, for which most tails are refuted at once.
void refute_by_first_rows(const Scan& scan, SiteScan& result, std::size_t rows) {
  const std::size_t count = std::min(kFirstRows, rows);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * rows / count;
    const BlockScan one = scan(row, 1, alive_tails(result));
    for (std::size_t t = 0; t < result.tails.size(); ++t) {
      if (!one.tails[t].refuted) continue;
      result.tails[t].refuted = true;
      result.tails[t].refuted_row = row;
    }
  }
}

void merge(SiteScan& all, BlockScan block) {
  if (block.q_min <= block.q_max) {
    const bool first = all.counts.judged == 0;
    all.q_min = first ? block.q_min : std::min(all.q_min, block.q_min);
    all.q_max = std::max(all.q_max, block.q_max);
  }
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

std::size_t rows_of_block(std::size_t width) {
  return std::max<std::size_t>(1, kBlockElements / std::max<std::size_t>(1, width));
}

std::size_t most_strays(std::size_t elements) { return std::max<std::size_t>(1, elements / 1000); }

SiteScan scan_site(const ObservedNorm& norm, bool with_strays, unsigned threads) {
  return scan_site(norm, tail_list(norm), with_strays, threads);
}

SiteScan scan_site(const ObservedNorm& norm, TailList list, bool with_strays, unsigned threads,
                   RowKeeper* keeper) {
  SiteScan result;
  result.norm = &norm;
  result.list = std::move(list);
  result.tails.resize(result.list.tails.size());
  result.sum_error = RowScanner(norm, result.list).sum_error();
  result.with_strays = with_strays;
  const std::size_t rows = norm.value->x.rows;
  refute_by_first_rows(Scan(norm, result.list, with_strays, nullptr), result, rows);
  const Scan scan(norm, result.list, with_strays, keeper);
  const std::size_t stretch = keeper != nullptr ? keeper->stretch() : rows;
  const std::size_t block_rows = std::min(rows_of_block(norm.value->x.width), stretch);
  for (std::size_t start = 0; start < rows; start += stretch) {
    const std::size_t end = start + std::min(stretch, rows - start);
    const std::vector<bool> alive = alive_tails(result);
    for_each_block((end - start + block_rows - 1) / block_rows, threads,
                   [&](std::size_t index) {
                     const std::size_t first = start + index * block_rows;
                     return scan(first, std::min(block_rows, end - first), alive);
                   },
                   [&](std::size_t, BlockScan block) { merge(result, std::move(block)); });
    if (keeper != nullptr) keeper->look_at(result, end);
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
