#include "judge/wild_comparison.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "judge/certified_compare.hpp"
#include "judge/maxima.hpp"
#include "judge/screen.hpp"
#include "judge/wild_dice.hpp"
#include "numeric/simd_target.hpp"
#include "reference/row_sums.hpp"

namespace normcert {
namespace {

struct Subject {
  const WildFile& file;
  OutputTensor tensor;
  const TensorView& got;
};

// Everything that is counted, by name.
std::map<std::string, std::uint64_t> counts_of(const Comparison& c) {
  std::map<std::string, std::uint64_t> counts{
      {"expected", c.expected},
      {"compared", c.compared},
      {"rows_set_apart", c.rows_set_apart},
      {"non_finite.reference", c.non_finite.reference},
      {"non_finite.got", c.non_finite.got},
      {"non_finite.disagree", c.non_finite.disagree},
      {"below_normal", c.below_normal},
      {"correctly_rounded", c.correctly_rounded},
      {"faithful", c.faithful},
      {"zero_sign_differs", c.zero_sign_differs},
      {"rounded_bits", c.rounded_bits},
      {"first_row_not_rounded", c.first_row_not_rounded.value_or(kNoElement)},
      {"outside_tolerance", c.outside_tolerance},
      {"unattainable", c.unattainable},
      {"beyond_max_ulp", c.beyond_max_ulp},
      {"decided", c.decided_by_bound + c.decided_exactly},
      {"non_finite.first.row", c.non_finite.first ? c.non_finite.first->row : kNoElement},
      {"non_finite.first.index", c.non_finite.first ? c.non_finite.first->index : kNoElement},
      {"first_outside.row", c.first_outside ? c.first_outside->row : kNoElement},
      {"first_outside.index", c.first_outside ? c.first_outside->index : kNoElement}};
  for (std::size_t i = 0; i < CodeDistanceHistogram::kClasses; ++i) {
    if (c.code_distance.count(i) == 0) continue;
    counts["distance " + CodeDistanceHistogram::label(i)] = c.code_distance.count(i);
  }
  return counts;
}

std::string difference(const ErrorMaximum& a, const ErrorMaximum& b, const char* what) {
  if (a.any != b.any) return fmt::format("{}: any {} {}", what, a.any, b.any);
  if (!a.any) return {};
  if (compare(a.value, b.value) != 0) {
    return fmt::format("{}: {} at {},{}; exactly {} at {},{}", what, a.value.to_binary64(),
                       a.witness.row, a.witness.index, b.value.to_binary64(), b.witness.row,
                       b.witness.index);
  }
  const bool same_witness =
      a.witness.row == b.witness.row && a.witness.index == b.witness.index &&
      a.witness.x == b.witness.x && a.witness.residual == b.witness.residual &&
      a.witness.gate == b.witness.gate && a.witness.weight == b.witness.weight &&
      a.witness.got == b.witness.got && compare(a.witness.exact, b.witness.exact) == 0;
  if (same_witness) return {};
  return fmt::format("{}: witness {},{}; exactly {},{}", what, a.witness.row, a.witness.index,
                     b.witness.row, b.witness.index);
}

// Shares agree to the digits that are shown; their row is no more certain than that.
std::string difference(const RowShare& a, const RowShare& b, const char* what) {
  if (a.any == b.any && (!a.any || std::fabs(a.value - b.value) <= 1e-4 * b.value + 1e-12)) {
    return {};
  }
  return fmt::format("{}: {} {}; exactly {} {}", what, a.any, a.value, b.any, b.value);
}

std::string difference(const Comparison& fast, const Comparison& exact) {
  const auto a = counts_of(fast);
  const auto b = counts_of(exact);
  for (const auto& [name, count] : a) {
    const auto found = b.find(name);
    const std::uint64_t other = found == b.end() ? 0 : found->second;
    if (count != other) return fmt::format("{}: {}, exactly {}", name, count, other);
  }
  for (const auto& [name, count] : b) {
    if (!a.contains(name)) return fmt::format("{}: 0, exactly {}", name, count);
  }
  for (const auto& text : {difference(fast.absolute, exact.absolute, "absolute"),
                           difference(fast.relative, exact.relative, "relative"),
                           difference(fast.ulp, exact.ulp, "ulp"),
                           difference(fast.coherent, exact.coherent, "coherent"),
                           difference(fast.incoherent, exact.incoherent, "incoherent")}) {
    if (!text.empty()) return text;
  }
  return {};
}

// What must be the same to the bit between two runs of the fast comparison.
std::string certificate_difference(const Comparison& a, const Comparison& b) {
  const auto same_share = [](const RowShare& c, const RowShare& d) {
    return c.any == d.any && (!c.any || (c.value == d.value && c.row == d.row));
  };
  if (a.decided_by_bound != b.decided_by_bound) {
    return fmt::format("decided_by_bound: {} and {}", a.decided_by_bound, b.decided_by_bound);
  }
  if (a.largest_bound != b.largest_bound) {
    return fmt::format("largest_bound: {} and {}", a.largest_bound, b.largest_bound);
  }
  if (!same_share(a.coherent, b.coherent)) {
    return fmt::format("coherent: {:a} row {} and {:a} row {}", a.coherent.value, a.coherent.row,
                       b.coherent.value, b.coherent.row);
  }
  if (!same_share(a.incoherent, b.incoherent)) {
    return fmt::format("incoherent: {:a} row {} and {:a} row {}", a.incoherent.value,
                       a.incoherent.row, b.incoherent.value, b.incoherent.row);
  }
  return {};
}

// Blocks in random order, each with what those before it in time have reached.
Comparison in_blocks(const Subject& subject, WildDice& dice) {
  const std::size_t rows = subject.got.rows;
  std::vector<std::size_t> ends;
  for (std::size_t row = 1; row <= rows; ++row) {
    if (row == rows || dice.one_in(2)) ends.push_back(row);
  }
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[dice.below(k)]);

  std::vector<Comparison> found(ends.size());
  KnownErrors known;
  for (const std::size_t block : order) {
    const std::size_t first = block == 0 ? 0 : ends[block - 1];
    const std::size_t count = ends[block] - first;
    BlockContext context;
    if (dice.one_in(2)) context.known = known;
    if (first > 0 && dice.one_in(2)) {
      context.row_before = RowImage::of(subject.file.value, subject.got, first - 1);
    }
    std::vector<RowSum> sums;
    if (dice.one_in(2)) sums = row_sums(subject.file.value, first, count);
    context.sums = sums;
    found[block] = compare_block(subject.file.value, subject.tensor, subject.got,
                                 subject.file.criteria, first, count, context);
    known.raise(found[block]);
  }
  Comparison merged;
  for (const std::size_t block : order) merged.merge(found[block]);
  settle_maxima(subject.file.value, subject.tensor, merged);
  return merged;
}

std::uint64_t same_bits_as_rounded(const Subject& subject) {
  std::uint64_t same = 0;
  for (std::size_t row = 0; row < subject.got.rows; ++row) {
    for (std::size_t i = 0; i < subject.got.width; ++i) {
      if (same_bits(subject.got.at(row, i), subject.file.rounded.at(row, i))) ++same;
    }
  }
  return same;
}

std::string subject_difference(const Subject& subject, std::uint64_t cut, WildCounts& counts) {
  const WildFile& file = subject.file;
  const std::size_t rows = subject.got.rows;
  Comparison exact =
      compare_exactly(file.value, subject.tensor, subject.got, file.criteria, 0, rows);
  if (subject.tensor == OutputTensor::kY && exact.rounded_bits != same_bits_as_rounded(subject)) {
    return fmt::format("exact rounded_bits: {}, counted {}", exact.rounded_bits,
                       same_bits_as_rounded(subject));
  }
  std::optional<Comparison> first;
  for (const std::string_view target : simd_targets()) {
    if (!force_simd_target(target)) return fmt::format("no target {}", target);
    const Comparison whole =
        compare_certified(file.value, subject.tensor, subject.got, file.criteria, 0, rows);
    WildDice dice(cut, "wild/cut");
    const Comparison blocks = in_blocks(subject, dice);
    release_simd_target();
    if (!first) first = whole;
    for (const auto& [way, found] :
         {std::pair<const char*, const Comparison&>{"whole", whole}, {"in blocks", blocks}}) {
      std::string text = difference(found, exact);
      if (text.empty()) text = certificate_difference(found, *first);
      if (!text.empty()) return fmt::format("{}, {}: {}", target, way, text);
    }
  }
  counts.elements += exact.compared;
  counts.by_bound += first->decided_by_bound;
  return {};
}

}  // namespace

std::string wild_difference(const WildFile& file, std::uint64_t cut, WildCounts& counts) {
  ++counts.files;
  std::string text = subject_difference({file, OutputTensor::kY, file.y}, cut, counts);
  if (!text.empty()) return "y, " + text;
  if (!file.residual_out) return {};
  text = subject_difference({file, OutputTensor::kResidualOut, *file.residual_out}, cut, counts);
  return text.empty() ? text : "residual_out, " + text;
}

std::string first_wild_difference(std::uint64_t seed, const FloatFormat& output,
                                  std::uint64_t count, WildCounts& counts) {
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::string text = wild_difference(wild_file(seed, output, number), number, counts);
    if (!text.empty()) {
      return fmt::format("file {} of seed {}, {}: {}", number, seed, output.name, text);
    }
  }
  return {};
}

void expect_wild_agreement(std::uint64_t seed, const FloatFormat& output, std::uint64_t files) {
  WildCounts counts;
  EXPECT_EQ(first_wild_difference(seed, output, files, counts), "");
  EXPECT_EQ(counts.files, files);
  EXPECT_GT(counts.elements, 15 * files);
  testing::Test::RecordProperty("elements", static_cast<int>(counts.elements));
  // The comparison would prove nothing if the fast path never answered.
  EXPECT_GT(counts.by_bound, counts.elements / 2);
}

}  // namespace normcert
