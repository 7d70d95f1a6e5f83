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

// What a conversion does to all rows of some norms; of a view that converts nothing: nothing.
struct ViewFacts {
  bool changed = false;       // some number of x or residual is another than the one captured
  bool says_little = false;   // most numbers of a norm's x are zero or subnormal in the format
  bool stored_wider = false;  // all outputs are binary32, and numbers of the format
};

// Rows are made when they are asked for (problem/row_reader.hpp), and take no memory.
struct SeenNorms {
  std::deque<Case> cases;
  std::vector<ObservedNorm> norms;
  std::vector<std::size_t> site;   // of each norm: which of those handed in it was made of
  std::vector<std::size_t> first;  // and that one's channel which is its first
};

// Those that could matter to a norm like this one: groups of half, a quarter, an eighth ... of the
// width and of the usual sizes, formats of at most its own precision, zeros for subnormal numbers.
[[nodiscard]] std::vector<InputView> input_views(const ObservedNorm& norm);

// Of each of the views. Reads every row once.
[[nodiscard]] std::vector<ViewFacts> view_facts(std::span<const ObservedNorm> norms,
                                                std::span<const InputView> views, unsigned threads);

// `most_rows` of each norm, spread over it; 0: all. Outputs that were stored wider count as written
// in the view's format: what was computed in it was only stored in a wider one. The tensors of
// `norms` must outlive what is returned.
[[nodiscard]] SeenNorms seen_norms(std::span<const ObservedNorm> norms, const InputView& view,
                                   const ViewFacts& facts, std::size_t most_rows);

}  // namespace normcert
