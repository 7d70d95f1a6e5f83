// Norms seen as other norms, for what elimination asks of whole rows as they were captured: every
// group of channels as a norm of its own (a statistic for each group; a rank that normalises its
// slice alone), inputs that the kernel converts or flushes before anything else. What fits under
// such a view is a hypothesis about the norms themselves, and carries its name.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "inference/elimination.hpp"

namespace normcert {

struct InputView {
  std::size_t group = 0;                // channels of a group, which divides the width; 0: none
  const FloatFormat* format = nullptr;  // to which x and residual are converted; nullptr: none
  bool flushes = false;                 // subnormal numbers of x and residual count as zero

  // "mean_square" -> "mean_square_per_group_128"
  [[nodiscard]] std::string statistic(const std::string& name) const;
  // "every_op" -> "every_op, x as bf16"
  [[nodiscard]] std::string rounding(const std::string& name) const;

  friend bool operator==(const InputView&, const InputView&) = default;
};

// To which a hypothesis says that x is converted; nullptr: none.
[[nodiscard]] const FloatFormat* converted_format(const Hypothesis& hypothesis);

struct SeenNorms {
  std::deque<Case> cases;
  std::vector<ObservedNorm> norms;
  std::vector<std::size_t> site;   // of each norm: which of those handed in it was made of
  std::vector<std::size_t> first;  // and that one's channel which is its first
  bool changed = false;            // some number of the rows seen is another than the one captured
  bool says_little = false;        // most numbers of a norm are zero or subnormal in the format
};

// Those that could matter to a norm like this one: groups of half, a quarter, an eighth ... of the
// width and of the usual sizes, formats of at most its own precision, zeros for subnormal numbers.
[[nodiscard]] std::vector<InputView> input_views(const ObservedNorm& norm);

// `most_rows` of each norm, spread over it; 0: all. Outputs that are numbers of the view's format
// throughout count as written in it: what was computed in it was only stored in a wider one.
[[nodiscard]] SeenNorms seen_norms(std::span<const ObservedNorm> norms, const InputView& view,
                                   std::size_t most_rows);

}  // namespace normcert
