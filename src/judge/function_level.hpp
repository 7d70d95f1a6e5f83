// Level function of `normcert verify`: whether a port computes the declared function, whatever it
// rounds where. Elimination decides (inference/elimination.hpp), on the rows of each case and on
// the cases that must be alike together; what it cannot see on the rows that it was given is held
// against a bound on every row.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "judge/diagnosis.hpp"
#include "judge/verify_types.hpp"

namespace normcert {

struct CaseTotals;  // judge/verify_totals.hpp, which includes this file

// What elimination says of the declared function at one case: mean of squares formed in binary32 or
// better, epsilon inside the root, the declared offset, weight and residual used once.
struct FunctionEvidence {
  // kSame: it survives with the declared epsilon at the bound of the known orders; kDiffers: it is
  // refuted at the bound of any order, where some other function survives.
  Tristate declared = Tristate::kUndecided;
  bool explained = false;  // one function alone survives
  // Every row is rounded as one class of kernels that compute the declared function.
  bool of_one_class = false;
  // A gated norm: elimination has no gates, the classes of kernels and a bound of their error
  // decide (judge/gated_evidence.hpp).
  bool by_classes = false;
  bool source_is_declared = false;  // then: the source recipe is of one of those classes
  GateMode gate = GateMode::kNone;
  Activation activation = Activation::kSilu;
  double weight_offset = 0;
  std::string code = "function";
  std::string text;  // why it differs, or why nothing is decided
  // *Upper bound* of |got - exact| / |exact| of a conforming port, where neither is subnormal.
  double largest_error = std::numeric_limits<double>::infinity();
};

// Of the run: what was eliminated, and what it says of each case of the request.
struct FunctionLevel {
  Diagnosis diagnosis;                    // of what was observed
  std::vector<std::size_t> case_of_site;  // index of the request's case, for its sites
  std::vector<FunctionEvidence> cases;    // of what was observed
  // Of recipes in the port's place and of controls, by name: for each case.
  std::map<std::string, std::vector<FunctionEvidence>> named;
  std::size_t rows = 0;  // that elimination was given
  std::size_t rows_of_cases = 0;
};

// Of the site with that index in a diagnosis.
[[nodiscard]] FunctionEvidence evidence_of(const Diagnosis& diagnosis, std::size_t index);

// Sets equality.function of a result whose comparison and rounding are settled, and why:
//   y             differs as the evidence says; same where the declared function survives and every
//                 row conforms to the source recipe or to one class of the conforming set, or a
//                 class or elimination alone explains the rows asked and no error exceeds the
//                 bound; of a gated norm where every row conforms to the source recipe, which
//                 computes the declared function, or to one such class; differs where
//                 no such kernel has so great an error (judge/gated_evidence.hpp)
//   residual_out  same where it has the bits of the source recipe
void settle_function(const FunctionEvidence& evidence, SubjectResult& result);

// Rows of a case that are eliminated, of those that are judged: all of them up to `elements` (16
// rows at least); else half as many at even distances, and as many of the least mean square, since
// only those show epsilon. Rows that the user chose are thinned evenly. judge_function() adds those
// that stand out (judge/outlying_rows.hpp).
[[nodiscard]] std::vector<std::size_t> rows_to_eliminate(const JudgedCase& judged,
                                                         std::size_t elements, unsigned threads);

// Eliminates what was observed, what candidates give for cases where nothing was, and what controls
// give, but for classes that are measured only and for binary64; of each case at most 2^21
// elements, of all together some 2^25, so that time and memory do not grow with the rows, and the
// few rows that stand out in `totals`, which measure() gave for the same request, or that are not
// rounded as the class which explains the first rows. Without such a
// case nothing is done.
[[nodiscard]] FunctionLevel judge_function(const VerifyRequest& request,
                                           const std::vector<CaseTotals>& totals);

// The offset by the name that hypotheses give it, and a missing weight as one that is not there.
void prepare_for_elimination(JudgedCase& judged);

// Whether judge_function() has anything to do.
[[nodiscard]] bool can_judge_function(const VerifyRequest& request);

}  // namespace normcert
