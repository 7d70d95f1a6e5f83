// What a verify run is asked and what it answers: plain values between cli, judge and report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/block_plan.hpp"
#include "judge/comparison.hpp"
#include "judge/contradiction.hpp"
#include "judge/exact_compare.hpp"
#include "judge/expectation.hpp"
#include "problem/case.hpp"
#include "problem/recipe.hpp"

namespace normcert {

inline constexpr std::string_view kRoundedReferenceName = "reference.rounded";

enum class VerdictValue : std::uint8_t { kAccepted, kRejected, kInconclusive };
enum class Role : std::uint8_t { kObserved, kCandidate, kYardstick, kMutant };
// What the port is held to. kTolerance: the limits alone, as given by --atol, --rtol, --max-ulp.
enum class Level : std::uint8_t { kFunction, kRounding, kBits, kTolerance };
enum class Tristate : std::uint8_t { kSame, kDiffers, kUndecided };

[[nodiscard]] std::string_view name_of(VerdictValue verdict);
[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::string_view name_of(Level level);
[[nodiscard]] std::string_view name_of(Tristate value);
[[nodiscard]] std::string_view name_of(OutputTensor tensor);

struct Reason {
  std::string code;  // one of the interface's reason codes
  std::string text;
  std::string site;
  std::string candidate;
};

// Outputs of one case by one implementation.
struct Outputs {
  std::optional<TensorView> y;
  std::optional<TensorView> residual_out;

  [[nodiscard]] const std::optional<TensorView>& tensor(OutputTensor which) const {
    return which == OutputTensor::kY ? y : residual_out;
  }
};

// A named way to compute the outputs of all rows that it is given: those of one block, as a case of
// their own (judge/case_rows.hpp). Throws InputError where it cannot compute them.
struct Implementation {
  std::string name;
  std::function<Outputs(const Case&)> outputs;
  std::shared_ptr<const Recipe> recipe{};  // none: the exact result with one rounding
  // For each row, how many elements of these outputs y have its bits, without computing outputs();
  // may be empty.
  std::function<std::vector<std::uint64_t>(const Case&, const TensorView&)> count_same_bits{};
  bool from_pattern = false;  // nobody named it, but a pattern over names that it fits
};

// Whether it has a gate where the case has one, and none where it has none: else it cannot compute
// the case's outputs.
[[nodiscard]] bool takes_gate_of(const Implementation& implementation, const Case& value);

struct JudgedCase {
  Case value;
  std::string file;                 // where it came from, for messages
  std::optional<Outputs> observed;  // what a port wrote
  std::string observed_file;
  std::string source_recipe;        // the recipe of the source framework; empty: reference.rounded
  std::vector<std::string> covers;  // sites that the case stands for; empty: its own
  std::string sha256;               // over dtype, shape and bytes of x, weight, residual
  // The rows that are judged, ascending; none: all of them. `choice` says how they were chosen.
  std::optional<std::vector<std::size_t>> chosen_rows;
  std::string choice = "all";
  // What the capture says of itself, in its order; for the report.
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Formats that the user states for float32 dumps; nullptr: as the data show.
struct FormatsOfDump {
  const FloatFormat* x = nullptr;
  const FloatFormat* weight = nullptr;
  const FloatFormat* y = nullptr;

  [[nodiscard]] bool any() const { return x != nullptr || weight != nullptr || y != nullptr; }
};

struct VerifyRequest {
  std::vector<JudgedCase> cases;
  std::vector<Implementation> candidates;  // in the order given
  std::vector<Implementation> mutants;
  // Every recipe that a case names as its source.
  std::function<Implementation(const std::string&)> find_implementation;
  // Recipes that lend their names to classes of the conforming set, by preference; may be empty.
  std::function<std::vector<const Recipe*>()> known_recipes{};
  Criteria criteria;
  Level level = Level::kFunction;
  unsigned threads = 1;     // changes nothing but the time
  Part part;                // what of the rows this run judges
  FormatsOfDump formats{};  // of what was observed, in which it is judged
};

struct Spread {
  double min = 0;
  double median = 0;  // the lower one of an even number
  double max = 0;
  std::optional<double> median_within{};  // relative distance to the true one; none: it is exact
};

struct CaseSummary {
  std::string id;
  std::string site;
  std::vector<std::string> covers;  // sites that the case stands for
  std::string class_name;
  std::string file;
  std::string dtype;
  std::string sha256;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string weight_dtype;  // empty: no weight
  std::string epsilon_text;
  double epsilon = 0;
  std::string weight_offset_text;
  std::size_t rows = 0;  // that were to be judged
  std::size_t rows_in_file = 0;
  std::string rows_chosen;  // "all", or how they were chosen
  std::size_t dim = 0;
  std::size_t rows_non_finite = 0;
  bool has_residual = false;
  std::string gate_mode;        // as in recipes; empty: no gate
  std::string gate_activation;  // the same
  std::optional<Spread> q;      // absent: no row with finite inputs
  std::optional<Spread> q_over_epsilon;
  std::optional<Spread> attenuation;  // before the gain
  std::optional<ExpectationOutcome> expectation;
  std::map<std::string, std::string> expected_verdicts;  // of candidates, as the case file says
};

struct BitCount {
  std::uint64_t equal = 0;
  std::uint64_t of = 0;
};

struct Equality {
  Tristate function = Tristate::kUndecided;
  // Where elimination was asked (judge/function_level.hpp) and does not say kSame: the reason.
  std::string function_code;
  std::string function_text;
  // Recipes whose bits these are, then classes of the conforming set to which the rows conform
  // (judge/rounding_search.hpp).
  std::vector<std::string> rounded_as;
  // "as hf.gemma rounds (cast after_weight)": what explains rows that are not rounded as the source
  // recipe rounds; empty: nothing of the conforming set.
  std::string explained_by;
  std::string source;
  Tristate rounding = Tristate::kUndecided;
  std::uint64_t rows_by_conformity = 0;        // rows with other bits that conform to the source
  std::optional<std::size_t> first_other_row;  // that does not conform, or cannot be decided
  std::optional<Contradiction> contradiction;  // in that row, where its scalar shows it
  BitCount bits;                               // against the source recipe
};

struct SubjectResult {
  std::string candidate;  // "observed" or the recipe's name
  Role role = Role::kObserved;
  std::size_t case_index = 0;
  OutputTensor tensor = OutputTensor::kY;
  std::string dtype;  // of the judged tensor
  Comparison comparison;
  std::map<std::string, std::uint64_t> bit_identical;
  Equality equality;
  VerdictValue verdict = VerdictValue::kInconclusive;
  bool judged = true;  // false: of a class that is measured only; the run's verdict ignores it
  std::vector<Reason> reasons;
  std::optional<bool> as_expected;  // where the case file names an expected verdict
};

struct MutantOutcome {
  std::string name;
  bool rejected = false;
  std::string by;  // reason code and case of the first rejection
};

// How a case is called in messages: its site where the id is only file and site, else its id.
[[nodiscard]] const std::string& shown_name(const CaseSummary& summary);

struct VerifyOutcome {
  std::vector<CaseSummary> cases;
  std::vector<SubjectResult> results;
  std::vector<MutantOutcome> mutants;
  VerdictValue verdict = VerdictValue::kInconclusive;
  std::vector<Reason> reasons;
};

}  // namespace normcert
