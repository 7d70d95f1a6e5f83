// Why a row is not rounded as a recipe rounds: elements whose outputs no value of the row's scalar
// gives together (emulation/tail_limits.hpp), with what a reader needs to redo it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "emulation/tail_limits.hpp"
#include "numeric/code.hpp"

namespace normcert {

struct ConstrainedElement {
  std::size_t index = 0;
  Code x;
  std::optional<Code> residual;
  std::optional<Code> gate;
  std::optional<Code> weight;
  Code got;
  std::optional<ScalarRange> scalars;  // that give `got`; none: no scalar does
};

struct Contradiction {
  bool of_rms = false;  // the scalar is the row's RMS, by which the recipe divides; else 1 / RMS
  ScalarRange allowed;  // as far from the exact one as an order of the sum can lead
  std::vector<ConstrainedElement> elements;  // two, or one that contradicts `allowed`
};

// "RMS" or "inverse RMS".
[[nodiscard]] std::string scalar_name(const Contradiction& contradiction);

// "0.124 to 0.125 (0x1.fbe76cp-4 to 0x1p-3)", "at most ..." where every positive number is enough.
[[nodiscard]] std::string range_text(const ScalarRange& range);

// What the elements need, in a sentence without its end.
[[nodiscard]] std::string contradiction_text(const Contradiction& contradiction);

}  // namespace normcert
