// What a port computes, and what that says of what was declared: the answer of `normcert diagnose`,
// for each site alone and for the sites that must be alike together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inference/capture_health.hpp"
#include "inference/elimination.hpp"
#include "inference/outputs_only.hpp"
#include "inference/special_rows.hpp"
#include "inference/symptoms.hpp"
#include "judge/reading_choice.hpp"
#include "judge/sum_check.hpp"
#include "judge/usual_tests.hpp"
#include "judge/verify_types.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

enum class DiagnosisValue : std::uint8_t { kExplained, kAmbiguous, kUnexplained };

[[nodiscard]] std::string_view name_of(DiagnosisValue value);
[[nodiscard]] std::string_view name_of(DeclaredOutcome outcome);
[[nodiscard]] std::string_view name_of(HypothesisStatus status);
[[nodiscard]] DiagnosisValue value_of(EliminationOutcome outcome);

struct DiagnosedSite {
  // Epsilon and offset of the summary are empty where nothing declares them.
  CaseSummary summary;
  const FloatFormat* x_format = nullptr;  // in which it is judged
  const FloatFormat* y_format = nullptr;
  std::string stored_as;  // the wider format in which the file has it; empty: the same
  // Read in another format than the numbers of y alone ask for.
  std::optional<DumpReading> reading;
  std::optional<OtherReading> other_reading;  // that excuses what this one accuses
  SiteHealth health;
  bool weight_known = true;
  bool offset_known = true;
  std::optional<Epsilon> declared;
  std::string declared_from;                // "config key rms_norm_eps"
  std::optional<Elimination> result;        // of this site alone; none: not judged
  std::optional<OutputsOnly> outputs_only;  // where the capture has no x
  SpecialRows special_rows;                 // what of it no hypothesis was asked about
  std::vector<Symptom> symptoms;            // where nothing survives
  std::optional<SumCheck> sum;              // of a judged site that has residual_out
  // Against the exact result with the declared epsilon, then with one that fits the group, where
  // it is another; of sites whose weight is known.
  std::vector<UsualTests> usual_tests;
};

// Sites of one width, formats, offset, epsilon and source recipe: one function for all of them.
struct DiagnosedGroup {
  std::vector<std::size_t> sites;  // indices into Diagnosis::sites, those that were judged
  Elimination joint;
  bool may_flush = false;  // the source recipe takes or gives zeros for subnormal numbers
  std::optional<OtherReading> other_reading{};  // that excuses what is accused of all together
};

struct Diagnosis {
  std::vector<DiagnosedSite> sites;
  std::vector<DiagnosedGroup> groups;
  DiagnosisValue value = DiagnosisValue::kUnexplained;
  DeclaredOutcome declared = DeclaredOutcome::kNotDeclared;
  std::vector<Reason> reasons;
  int exit_status = 3;
};

// What the site declares, with a statistic in binary32 or better
// (inference/declared_function.hpp).
[[nodiscard]] bool is_declared_function(const Hypothesis& hypothesis, const DiagnosedSite& site);

// What survives first, or nullptr.
[[nodiscard]] const EliminatedHypothesis* best_survivor(const Elimination& elimination);

// An epsilon with the name by which it goes.
struct NamedEpsilon {
  std::string text;
  double value = 0;
};

// Of a hypothesis that survives: a well-known epsilon in its range, else the one that needs the
// least slack. None where it has no epsilon.
[[nodiscard]] std::optional<NamedEpsilon> fitting_epsilon(const EliminatedHypothesis& one);

// Statistic, place of epsilon, offset, use of weight and residual agree: one function, whatever is
// rounded where.
[[nodiscard]] bool same_function(const Hypothesis& a, const Hypothesis& b);

// The site of `diagnosis` in which a witness of `elimination`, made for `group`, stands.
[[nodiscard]] std::size_t site_of_witness(const DiagnosedGroup& group,
                                          const Elimination& elimination,
                                          const ElementWitness& witness);

// Verdict, reasons and exit status from sites and groups: 1 where a declared epsilon is impossible
// at a site or for a group; 0 where every site was judged and every group has one function alone,
// the declared one if there is a declaration, without strays and without subnormal numbers that are
// written as zero (but where the source recipe flushes them), or another reading of a dump that
// excuses what this one accuses, or a residual_out that is not x + residual; else 3.
void conclude(Diagnosis& diagnosis);

}  // namespace normcert
