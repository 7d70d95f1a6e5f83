#include "judge/verdict.hpp"

#include <algorithm>

namespace normcert {
namespace {

std::string of(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

// "rounded as hf.gemma rounds (cast after_weight), not as hf.llama", or that it is not so rounded.
std::string rounded_otherwise(const Equality& equality) {
  if (equality.explained_by.empty()) return "not rounded as " + equality.source + " rounds";
  return "rounded " + equality.explained_by + ", not as " + equality.source;
}

bool every_element_correctly_rounded(const Comparison& c) {
  return c.compared > 0 && c.compared == c.expected && c.correctly_rounded == c.compared;
}

class ResultJudge {
 public:
  ResultJudge(const CaseSummary& summary, SubjectResult& result)
      : summary_(summary), result_(result) {}

  void run(const Criteria& criteria, Level level) {
    const Comparison& c = result_.comparison;
    if (every_element_correctly_rounded(c)) result_.equality.function = Tristate::kSame;
    if (c.rows_set_apart > 0) {
      const char* const code = c.compared > 0 ? "non_finite" : "nothing_compared";
      add(code, std::to_string(c.rows_set_apart) +
                    (c.rows_set_apart == 1 ? " row has NaN" : " rows have NaN") +
                    " or infinite inputs, for which there is no exact result: " +
                    of(c.compared, c.expected) + " elements compared");
      undecided_ = true;
    } else if (c.compared < c.expected) {
      add("missing_output", "output missing: " + of(c.compared, c.expected) + " elements compared");
      undecided_ = true;
    }
    if (c.non_finite.disagree > 0) {
      reject("non_finite", of(c.non_finite.disagree, c.compared) +
                               " elements are NaN or infinite where the exact result is not, or "
                               "of another kind");
    }
    judge_criteria(criteria);
    judge_level(level);
    result_.verdict = rejected_
                          ? VerdictValue::kRejected
                          : (undecided_ ? VerdictValue::kInconclusive : VerdictValue::kAccepted);
  }

 private:
  void judge_criteria(const Criteria& criteria) {
    const Comparison& c = result_.comparison;
    if (criteria.tolerance && c.outside_tolerance > 0) {
      reject("tolerance", of(c.outside_tolerance, c.compared) + " elements are outside atol " +
                              criteria.tolerance->atol_text + ", rtol " +
                              criteria.tolerance->rtol_text);
    }
    if (criteria.max_ulp && c.beyond_max_ulp > 0) {
      reject("max_ulp", of(c.beyond_max_ulp, c.compared) + " elements are further than " +
                            criteria.max_ulp_text + " ulp from the exact result");
    }
  }

  void judge_level(Level level) {
    const Equality& equality = result_.equality;
    switch (level) {
      case Level::kTolerance:
        break;
      case Level::kFunction:
        if (equality.function == Tristate::kSame) break;
        add("function",
            "nothing was asked for that this version decides: give limits (--atol, --rtol, "
            "--max-ulp) or a source recipe's rounding or bits (--require)");
        undecided_ = true;
        break;
      case Level::kRounding:
        if (equality.rounding == Tristate::kDiffers && equality.source == kRoundedReferenceName) {
          reject("rounding",
                 "no source recipe was named (--source), and only " +
                     of(equality.bits.equal, equality.bits.of) +
                     " outputs are the exact result rounded once" +
                     (equality.explained_by.empty() ? "" : "; rounded " + equality.explained_by));
        } else if (equality.rounding == Tristate::kDiffers) {
          reject("rounding", rounded_otherwise(equality) + row_that_differs());
        } else if (equality.rounding == Tristate::kUndecided) {
          add("rounding", "whether it is rounded as " + equality.source + " is not decided");
          undecided_ = true;
        }
        break;
      case Level::kBits:
        if (equality.bits.equal != equality.bits.of) {
          reject("bits", of(equality.bits.equal, equality.bits.of) + " elements have the bits of " +
                             equality.source);
        }
        break;
    }
  }

  // ": no value of row 3's inverse RMS ...", with the elements that show it.
  [[nodiscard]] std::string row_that_differs() const {
    const Equality& equality = result_.equality;
    const std::string row = "row " + std::to_string(equality.first_other_row.value_or(0));
    if (result_.tensor == OutputTensor::kResidualOut) return ": the first is in " + row;
    if (!equality.contradiction) {
      return ": no value of " + row +
             "'s inverse RMS, whatever the order of the sum, gives its outputs";
    }
    const Contradiction& contradiction = *equality.contradiction;
    return ": no value of " + row + "'s " + scalar_name(contradiction) +
           ", whatever the order of the sum, gives its outputs: " +
           contradiction_text(contradiction);
  }

  void add(const char* code, std::string text) {
    const char* const tensor = result_.tensor == OutputTensor::kResidualOut ? " residual_out" : "";
    result_.reasons.push_back({code, shown_name(summary_) + tensor + ": " + std::move(text),
                               summary_.site, result_.candidate});
  }
  void reject(const char* code, std::string text) {
    add(code, std::move(text));
    rejected_ = true;
  }

  const CaseSummary& summary_;
  SubjectResult& result_;
  bool rejected_ = false;
  bool undecided_ = false;
};

bool counts_for_the_verdict(const SubjectResult& result) {
  return result.role == Role::kObserved || result.role == Role::kCandidate;
}

void judge_expectations(VerifyOutcome& outcome, bool& rejected) {
  for (const CaseSummary& summary : outcome.cases) {
    if (!summary.expectation || summary.expectation->failures.empty()) continue;
    const ExpectationFailure& first = summary.expectation->failures.front();
    outcome.reasons.push_back(
        {"unexpected",
         of(summary.expectation->failures.size(), summary.expectation->checked) +
             " expected numbers do not hold; the first, at " + first.place + ": expected " +
             first.expected + ", the exact result is " + first.found,
         summary.id, ""});
    rejected = true;
  }
}

}  // namespace

bool is_measured_only(std::string_view class_name) {
  return class_name == "beyond_range" || class_name == "amplitude";
}

void judge_result(const CaseSummary& summary, const Criteria& criteria, Level level,
                  SubjectResult& result) {
  ResultJudge(summary, result).run(criteria, level);
}

void judge_run(const VerifyRequest& request, VerifyOutcome& outcome) {
  bool rejected = false;
  bool inconclusive = false;
  bool anything_judged = false;
  std::vector<Reason> undecided;
  judge_expectations(outcome, rejected);
  for (SubjectResult& result : outcome.results) {
    if (!counts_for_the_verdict(result)) continue;
    const auto& expected = request.cases[result.case_index].value.expect.candidates;
    const auto found = expected.find(result.candidate);
    if (found != expected.end()) {
      anything_judged = true;
      result.as_expected = found->second == name_of(result.verdict);
      if (!*result.as_expected) {
        rejected = true;
        outcome.reasons.push_back(
            {"unexpected",
             "expected to be " + found->second + ", is " + std::string(name_of(result.verdict)),
             outcome.cases[result.case_index].id, result.candidate});
      }
      continue;
    }
    if (!result.judged) continue;
    anything_judged = true;
    rejected = rejected || result.verdict == VerdictValue::kRejected;
    inconclusive = inconclusive || result.verdict == VerdictValue::kInconclusive;
    // Reasons of rejections stand before those of results that could not be decided.
    std::vector<Reason>& reasons =
        result.verdict == VerdictValue::kRejected ? outcome.reasons : undecided;
    reasons.insert(reasons.end(), result.reasons.begin(), result.reasons.end());
  }
  outcome.reasons.insert(outcome.reasons.end(), undecided.begin(), undecided.end());
  for (const MutantOutcome& mutant : outcome.mutants) {
    if (mutant.rejected) continue;
    inconclusive = true;
    outcome.reasons.push_back({"control_accepted",
                               "the control " + mutant.name +
                                   ", which must be rejected, passes: these cases and limits "
                                   "cannot tell it from a right port",
                               "", mutant.name});
  }
  if (!anything_judged) {
    inconclusive = true;
    outcome.reasons.push_back(
        {"nothing_observed", "no output of a port was compared with anything", "", ""});
  }
  outcome.verdict = rejected       ? VerdictValue::kRejected
                    : inconclusive ? VerdictValue::kInconclusive
                                   : VerdictValue::kAccepted;
}

}  // namespace normcert
