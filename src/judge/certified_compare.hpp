// The fast twin of compare_exactly, in tiers: vectors of binary32 and binary64 numbers with proven
// bounds (judge/screen.hpp) decide almost every element, double-double arithmetic
// (judge/precise_screen.hpp where many are left) and at last integers (judge/last_tier.hpp) the
// rest. No element stays undecided. Gated norms begin with double-double arithmetic.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>

#include "judge/exact_compare.hpp"
#include "judge/row_operands.hpp"
#include "judge/screen_limits.hpp"
#include "reference/row_sums.hpp"

namespace normcert {

// The same value as compare_exactly() but for the certificate's counts, and for the shares of the
// rows' errors, which agree to the digits that are shown.
[[nodiscard]] Comparison compare_certified(const Case& value, OutputTensor tensor,
                                           const TensorView& got, const Criteria& criteria,
                                           std::size_t first, std::size_t count);

// A row's inputs and outputs as their bytes.
struct RowImage {
  std::span<const std::byte> x;
  std::span<const std::byte> residual;  // empty without one
  std::span<const std::byte> gate;      // empty without one
  std::span<const std::byte> got;

  [[nodiscard]] static RowImage of(const Case& value, const TensorView& got, std::size_t row);
  [[nodiscard]] bool repeats(const RowImage& other) const;
};

// What some rows reach for certain.
struct KnownErrors {
  ErrorFloors floors;    // smaller errors need not be offered
  double coherent = -1;  // nor smaller shares; negative: none is known
  double incoherent = -1;

  void raise(const Comparison& found);
};

// What may be known when a block is compared; it changes the time, not the merged result.
struct BlockContext {
  // Of other blocks.
  KnownErrors known;
  // The row before the first, which another block compares: rows that repeat it are known.
  std::optional<RowImage> row_before;
  // row_sums() of the rows; may be empty.
  std::span<const RowSum> sums;
  // Of the case; may be empty.
  std::shared_ptr<const RowGains> gains{};
  // Whether the last row compared, of whatever block, was one for the double-double tier: the next
  // one begins there. May be empty.
  std::shared_ptr<std::atomic<bool>> precisely{};
};

// The same with the maxima still searched for: comparisons of several blocks are merged before
// settle_maxima() (judge/maxima.hpp) measures what is left.
[[nodiscard]] Comparison compare_block(const Case& value, OutputTensor tensor,
                                       const TensorView& got, const Criteria& criteria,
                                       std::size_t first, std::size_t count,
                                       const BlockContext& context = {});

}  // namespace normcert
