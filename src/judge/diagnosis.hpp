// What a port computes, and what that says of what was declared: plain values between the
// elimination and its report, and the rules by which they become a verdict.
//
// A hypothesis is a statistic, a place of epsilon, a weight offset and a way of rounding. It
// survives where one epsilon >= 0 and one value of each row's scalar, within the freedom that every
// known order of summation has, give every output; it is implausible where only an order worse than
// all known ones would, refuted where no order can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inference/capture_health.hpp"
#include "inference/outputs_only.hpp"
#include "inference/symptoms.hpp"
#include "judge/verify_types.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

enum class DiagnosisValue : std::uint8_t { kExplained, kAmbiguous, kUnexplained };
enum class DeclaredOutcome : std::uint8_t { kFits, kImpossible, kUndecided, kNotDeclared };
enum class HypothesisStatus : std::uint8_t { kSurvives, kImplausible, kRefuted };

[[nodiscard]] std::string_view name_of(DiagnosisValue value);
[[nodiscard]] std::string_view name_of(DeclaredOutcome outcome);
[[nodiscard]] std::string_view name_of(HypothesisStatus status);

// high may be infinite: every epsilon from low on.
struct EpsilonRange {
  double low = 0;
  double high = 0;
};

// Freedom of a row's scalar that the orders of a sum have, relative, in units of 2^-24.
struct SlackBounds {
  double known_orders = 0;  // block trees, lanes, cascades, pairwise sums
  double any_order = 0;     // n - 1 additions in any order
};

// One element that a hypothesis cannot give, to be redone with a calculator.
struct DiagnosisProof {
  std::size_t case_index = 0;
  std::size_t row = 0;
  std::size_t index = 0;
  std::string text;                // what it shows, in a sentence
  std::vector<std::string> steps;  // each a line of the calculation
  std::optional<double> epsilon;   // that is refuted; none: every epsilon
  std::string python;              // lines that redo it with plain Python
};

struct DiagnosedHypothesis {
  std::string statistic;      // "mean_square", "variance", ...
  std::string placement;      // "inside", "outside", ...
  std::string rounding;       // "before_weight", "after_weight", ...
  std::string weight_offset;  // "0", "1"; empty: there is no weight
  std::string qualifiers;  // what else differs from the declared function, in words; may be empty
  std::vector<std::string> recipes;            // of the catalogue that compute it
  std::vector<std::string> same_outputs_here;  // hypotheses that these rows cannot tell from it
  HypothesisStatus status = HypothesisStatus::kRefuted;
  bool declared_function = false;           // statistic, placement and offset are those declared
  double least_slack = 0;                   // units of 2^-24; infinite: no slack is enough
  std::optional<double> slack_of_declared;  // with the declared epsilon
  std::optional<EpsilonRange> epsilon;      // under every known order
  std::optional<EpsilonRange> epsilon_any_order;  // under every order
  std::string contains_declared;        // "binary64", "binary32", "T" or "no"; empty: none declared
  std::vector<std::string> well_known;  // epsilons in the range that people write
  std::uint64_t strays = 0;             // elements left out
  std::optional<DiagnosisProof> proof;  // of a refutation
};

struct DiagnosedElements {
  DiagnosisValue value = DiagnosisValue::kUnexplained;
  DeclaredOutcome declared = DeclaredOutcome::kNotDeclared;
  std::vector<DiagnosedHypothesis> survivors;  // by least slack
  std::vector<DiagnosedHypothesis> refuted;    // the same
  SlackBounds bounds;
  std::optional<DiagnosisProof> declared_proof;  // why the declared epsilon is impossible
};

struct DeclaredFunction {
  std::optional<Epsilon> epsilon;
  std::string from;  // "config key rms_norm_eps"; empty: nothing declares one
};

struct DiagnosedSite {
  CaseSummary summary;
  std::string stored_as;  // narrower format in which it is judged; empty: the one it is stored in
  SiteHealth health;
  bool offset_unknown = false;
  bool weight_unknown = false;
  DeclaredFunction declared;
  std::optional<DiagnosedElements> result;  // none: not judged, or without inputs
  std::optional<OutputsOnly> outputs_only;  // where the capture has no x
  std::vector<Symptom> symptoms;            // where nothing survives
};

struct DiagnosedGroup {
  std::vector<std::size_t> sites;  // indices; they share width, formats, offset and epsilon
  DiagnosedElements result;        // one hypothesis and one epsilon for all
};

struct Diagnosis {
  std::vector<DiagnosedSite> sites;
  std::vector<DiagnosedGroup> groups;
  DiagnosisValue value = DiagnosisValue::kUnexplained;
  DeclaredOutcome declared = DeclaredOutcome::kNotDeclared;
  std::vector<Reason> reasons;
  int exit_status = 3;
};

// *explained*: what survives agrees on statistic, placement and offset, and each range of epsilon
// has a lower end above 0 and spans at most a factor of 4 (without epsilon there is no range);
// *ambiguous*: several functions, or an epsilon that is open; *unexplained*: nothing survives.
[[nodiscard]] DiagnosisValue value_of(const std::vector<DiagnosedHypothesis>& survivors);

// *fits*: the declared function survives with the declared epsilon; *impossible*: something
// survives, but the declared epsilon needs more slack than any order has, under every rounding of
// the declared function; *undecided* otherwise.
[[nodiscard]] DeclaredOutcome declared_outcome(const DiagnosedElements& result, bool is_declared);

// Verdict, reasons and exit status from sites and groups.
void conclude(Diagnosis& diagnosis);

}  // namespace normcert
