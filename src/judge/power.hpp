// The power of a gate: which known defects it would have noticed on exactly the rows that it
// judged. Each mutant (judge/mutants.hpp) is run in the port's place and judged as the port was; a
// gate that would have accepted a required one proves too little to accept anything.
//
// Power belongs to a group of norms that must be alike (width, formats, offset, epsilon, source
// recipe): a mutant is noticed where one of them notices it. Norms are asked in the order of their
// least q/epsilon, since small rows show an epsilon best, and each mutant until one notices it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/function_level.hpp"
#include "judge/mutants.hpp"
#include "judge/verify_types.hpp"

namespace normcert {

// Which rows mutants are run on: of more than 2^20 elements a fixed choice (judge/power_rows.hpp),
// or all of them.
enum class PowerRows : std::uint8_t { kSample, kFull };

enum class MutantFate : std::uint8_t {
  kCaught,      // the port would have been rejected, or not accepted: `by` says by what
  kAccepted,    // other outputs, which pass
  kEquivalent,  // the base recipe's outputs on all these rows: they show nothing of it
  // No rows of this width could show it, since an order of the sum does as much: not required.
  kInsideRounding,
};
[[nodiscard]] std::string_view name_of(MutantFate fate);

struct TriedMutant {
  std::string name;
  bool required = false;
  MutantFate fate = MutantFate::kEquivalent;
  std::string by;        // "elimination at layers.0.input_layernorm"; empty where not caught
  bool is_open = false;  // `by` leaves it undecided: norms that follow may reject it
};

// A norm of which every output is the same for every epsilon from 0 to `below`, the declared one
// among them.
struct UnpinnedSite {
  std::string site;
  double below = 0;
};

struct PowerGroup {
  std::string candidate;
  Role role = Role::kObserved;
  std::vector<std::string> sites;  // each once
  std::string base;                // the recipe that is changed; empty: none writes this format
  std::vector<TriedMutant> mutants;
  std::vector<MeaninglessMutant> meaningless;
  std::vector<UnpinnedSite> unpinned;
  // The nearest epsilons that would have been rejected: outside what elimination leaves at the
  // bound of any order, or by limits, rounding or bits as emulated by the base on the norms asked
  // first.
  std::optional<double> rejected_below;
  std::optional<double> rejected_above;
  std::optional<double> immaterial_below;  // the least of `unpinned`, where that is every norm
  std::size_t rows = 0;                    // that mutants were run on, of the norms asked
  std::size_t rows_judged = 0;
};

struct Power {
  PowerRows asked = PowerRows::kSample;
  std::vector<PowerGroup> groups;
};

struct MutantCount {
  std::size_t caught = 0;
  std::size_t of = 0;  // required ones that were run
};
[[nodiscard]] MutantCount required_of(const PowerGroup& group);

// Of what a port wrote, or a candidate gives in its place, for cases that are judged and are no
// test vectors (a file that says what their results are, or rows that separate two recipes). The
// base is the candidate; of a port the recipe that gives most of its bits on the rows that are
// tried first, among equals the source recipe. `function` where the level is that. The part that
// the run judges (VerifyRequest::part) changes nothing.
[[nodiscard]] Power measure_power(const VerifyRequest& request, const FunctionLevel* function,
                                  PowerRows rows);

// Makes an accepted run inconclusive where a required mutant was not caught (code `power`).
void judge_power(const Power& power, VerifyOutcome& outcome);

}  // namespace normcert
