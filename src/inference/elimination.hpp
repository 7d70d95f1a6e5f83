// Elimination: which functions, epsilons and rounding points could have produced observed outputs,
// and which are impossible.
//
// The unknown of a row is the scalar that its last steps consume (the inverse RMS). Each element
// allows an interval of it; the intervals of a row must have a common point, and the points of all
// rows one common epsilon. Nothing is fitted and no slack is chosen: for every hypothesis the least
// relative freedom of the scalar is computed, in units of 2^-24, at which one epsilon >= 0 explains
// every row, and it is compared with two proven bounds (inference/slack_bounds.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problem/case.hpp"
#include "problem/recipe.hpp"
#include "problem/tensor.hpp"

namespace normcert {

// One norm and what a port wrote for it. The case must outlive the call.
struct ObservedNorm {
  std::string site;
  // x, residual, weight (none and not `weight_none`: the gain is not known, see `unknown_gain`),
  // offset (not given: 0 and 1 are both tried), epsilon (empty text: nothing is declared).
  const Case* value = nullptr;
  TensorView y;  // shape of x
};

// What a hypothesis says, in the words of a report.
struct Hypothesis {
  // mean_square, mean_square_n_minus_1, sum_square, variance, padded_<m> (the sum over m instead of
  // n), grouped_<m> (the same, m the size of a group: the sum is still the row's), or one that
  // rounds: squares_in_input_dtype, mean_in_..., mean_and_epsilon_in_...,
  // rstd_in_..., rms_in_..., all_in_..., accumulated_in_...; "any": the tail alone is refuted,
  // whatever the statistic and the placement; with "_per_group_<m>" one for every m channels
  std::string statistic;
  std::string placement;  // inside ... none; identity (r = 1); times_rms (multiplied by rms)
  std::string
      rounding;  // before_weight, after_weight, every_op, none, with qualifiers: ", truncated",
                 // ", offset fp32", ", x as bf16", ", subnormal x as 0"
  std::string weight_offset;  // "0", "1", "2", as declared; empty where there is no weight
  std::string weight_use;     // used, ignored, twice, cast_to_input, none
  std::string residual;       // rounded, unrounded, unrounded_statistic, ignored; empty: none

  friend bool operator==(const Hypothesis&, const Hypothesis&) = default;
};

// Epsilons that are consistent with every row, ends rounded outward; empty where low > high.
struct EpsilonRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool empty() const { return !(low <= high); }
  [[nodiscard]] bool contains(double epsilon) const { return low <= epsilon && epsilon <= high; }
};

// The freedom that one epsilon needs under a hypothesis. *Lower bound*, in units of 2^-24;
// infinity where no freedom suffices.
struct SlackOfEpsilon {
  std::string name;    // "declared", "declared as fp32", "declared as bf16", "1e-6", "eps(fp32)"
  double epsilon = 0;  // exactly this number
  double slack = std::numeric_limits<double>::infinity();
};

enum class HypothesisStatus : std::uint8_t {
  kSurvives,     // least slack at most L_known
  kImplausible,  // between L_known and L_any: only if the sum was formed worse than known orders do
  kRefuted,      // above L_any, or some row has no scalar: impossible
};

// An element as it stands in a proof: what it asks of its row's scalar.
struct ElementWitness {
  std::size_t site = 0;  // index among the sites that were judged
  std::size_t row = 0;
  std::size_t index = 0;
  double x = 0;
  double residual = 0;  // 0 where there is none
  double weight = 1;    // as stored
  double gain = 1;      // what multiplies under the hypothesis
  double got = 0;
  double mean_square = 0;  // of the row under the hypothesis' statistic, nearest binary64
  // The scalars (r, 1/rms) with which the hypothesis writes `got`; low > high: none does.
  double scalar_low = 0;
  double scalar_high = 0;
  // The midpoint at the end that the refutation rests on, of outputs, or of the numbers x r that a
  // cast before the weight gives; and the output on its other side.
  double tie = 0;
  double other = 0;
};

enum class RefutationKind : std::uint8_t {
  kNone,
  kElement,   // no scalar gives this element
  kElements,  // two elements of one row ask for different scalars
  kRows,      // two rows ask for different epsilons, or one for a negative one
  kZeroRow,   // a zero row's outputs: 0 where nothing is added, NaN where something is
};

// Why a hypothesis, or one epsilon under it, is impossible. `first` asks for a scalar (or epsilon)
// of at least `low_asked`, `second` for one of at most `high_asked`, and low_asked > high_asked.
struct Refutation {
  RefutationKind kind = RefutationKind::kNone;
  ElementWitness first;
  ElementWitness second;  // kElement: as first
  double low_asked = 0;
  double high_asked = 0;
  double slack = 0;  // freedom granted, L_any, in units of 2^-24
};

struct StrayElement {
  std::size_t site = 0;
  std::size_t row = 0;
  std::size_t index = 0;
};

struct EliminatedHypothesis {
  Hypothesis hypothesis;
  HypothesisStatus status = HypothesisStatus::kRefuted;
  std::vector<std::string> recipes;  // of those handed in, which are this hypothesis
  // Other survivors, by index in the same list, with the same statistic, placement and offset: what
  // tells them apart (the cast, where weights are constant) is not visible here.
  std::vector<std::size_t> same_outputs_here;
  double least_slack = std::numeric_limits<double>::infinity();  // *lower bound*, units of 2^-24
  double known_orders = 0;                                       // L_known of this hypothesis
  double any_order = 0;                                          // L_any; infinity: not derivable
  // "sequential": the slack counts from the sum in binary32 from first to last, computed exactly.
  std::string order;
  double best_epsilon = 0;               // at which the least slack is reached
  std::vector<SlackOfEpsilon> slack_of;  // declared forms first, then well-known ones
  EpsilonRange epsilon;                  // at L_known; at least_slack where that is greater
  EpsilonRange epsilon_any_order;        // at L_any
  bool has_epsilon = true;               // false: `none`, `identity`
  bool format_limits = false;            // the range is the set of epsilons with the same bits
  std::vector<StrayElement> strays;      // elements set apart; at most 64 are named
  std::size_t stray_count = 0;
  Refutation refutation;           // kNone where it survives or is implausible
  Refutation declared_refutation;  // of the declared epsilon where its slack is above L_any
};

enum class EliminationOutcome : std::uint8_t {
  kExplained,
  kAmbiguous,
  kUnexplained,
  kNothingToJudge
};
enum class DeclaredOutcome : std::uint8_t { kNotDeclared, kFits, kImpossible, kUndecided };

// What of the rows could be used.
struct RowCounts {
  std::size_t rows = 0;
  std::size_t judged = 0;
  std::size_t zero = 0;              // z is 0 throughout
  std::size_t non_finite_input = 0;  // x, residual or their sum
  std::size_t no_number = 0;         // outputs all 0, infinite or NaN although z is not zero
  std::size_t out_of_range = 0;      // the sum of squares leaves binary32's range
  std::size_t nan_outputs = 0;       // elements
  std::size_t infinite_outputs = 0;  // elements
  std::size_t zero_rows_nan = 0;     // zero rows with a NaN: nothing was added
  std::size_t zero_outputs = 0;      // elements, of an input that is not zero
  std::optional<std::size_t> first_zero_row{};  // without a NaN: something was added

  RowCounts& operator+=(const RowCounts& other);
};

// The judgement of one site, or of all sites jointly.
struct Elimination {
  std::vector<std::size_t> sites;  // indices into what was handed in
  EliminationOutcome outcome = EliminationOutcome::kNothingToJudge;
  DeclaredOutcome declared = DeclaredOutcome::kNotDeclared;
  std::string declared_as;  // "binary64", "fp32", "bf16", "fp16" where it fits
  // By status, then by least slack; the first is the diagnosis where the outcome is explained.
  std::vector<EliminatedHypothesis> hypotheses;
  RowCounts rows;
  double q_min = 0;  // of judged rows
  double q_max = 0;
  double known_orders = 0;  // L_known and L_any of a binary32 statistic of this width
  double any_order = 0;
  // Strict elimination left nothing, so that strays were set apart.
  bool with_strays = false;
  // Subnormal numbers are written as zero, all of a kind: elements that say nothing of the
  // function, and are not what it gives. The first of the symptoms says which.
  bool flushes = false;
  // A few words for people: "statistic not from these values", "epsilon immaterial", ...
  std::vector<std::string> symptoms;
};

struct EliminationOptions {
  std::vector<const Recipe*> recipes;  // to be named under the hypotheses that they are
  unsigned threads = 1;                // changes nothing but the time
  // Of all sites together; where there are more only those are kept that matter. Changes nothing
  // but time and memory.
  std::size_t kept_rows = std::size_t{1} << 12;
};

struct EliminationResult {
  Elimination joint;               // of all sites; the same as sites[0] where there is one
  std::vector<Elimination> alone;  // each site by itself, in their order
};

// Judges sites that share width, formats, weight offset and declared epsilon: one group. Rows may
// number any; the sites' cases are read several times. Throws std::invalid_argument where the sites
// differ in what must be the same or a shape does not fit.
[[nodiscard]] EliminationResult eliminate(std::span<const ObservedNorm> sites,
                                          const EliminationOptions& options);

}  // namespace normcert
