// Which rows the judgement of a tail rests on, fit by fit.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "inference/fit_extremes.hpp"
#include "inference/fit_rows.hpp"
#include "inference/narrow_chain.hpp"

namespace normcert {

struct FitTrace {
  EpsilonForm form = EpsilonForm::kInside;
  std::optional<NarrowSteps> steps;  // of a NarrowChain
  Extremes extremes;
};

struct RowsTrace {
  RowsOrigin origin;
  RowKey without = kNoRow;  // a row without such a scalar: nothing was fitted
  std::vector<FitTrace> fits;
};

struct TailTrace {
  std::size_t tail = 0;
  double q_error = 0;
  std::vector<RowsTrace> rows;
  std::vector<RowKey> changed;  // rows with elements set apart for this judgement alone

  // The numbers of rows that `origin` asks for; added where they are new.
  [[nodiscard]] RowsTrace& of(const RowsOrigin& origin);
};

// Where the judgement of one tail notes its fits: the tail's place in a list, or nowhere.
class TailTracer {
 public:
  TailTracer(std::vector<TailTrace>* traces, std::size_t tail, double q_error);

  void add_fit(const RowsOrigin& origin, FitTrace fit);
  // Nothing was fitted: `row` has no number of the narrow format.
  void add_without(RowsOrigin origin, bool divides, const RowKey& row);

 private:
  TailTrace* trace_;
};

// Sorted, each once.
[[nodiscard]] std::vector<RowKey> named_rows(const std::vector<TailTrace>& traces);

}  // namespace normcert
