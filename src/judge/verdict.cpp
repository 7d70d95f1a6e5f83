#include "judge/verdict.hpp"

#include <algorithm>

#include "numeric/decimal.hpp"

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
                               "of another kind" +
                               first_of_another_kind());
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
                              shortest_decimal(criteria.tolerance->atol) + ", rtol " +
                              shortest_decimal(criteria.tolerance->rtol));
    }
    if (criteria.max_ulp && c.beyond_max_ulp > 0) {
      reject("max_ulp", of(c.beyond_max_ulp, c.compared) + " elements are further than " +
                            shortest_decimal(*criteria.max_ulp) + " ulp from the exact result");
    }
  }

  void judge_level(Level level) {
    const Equality& equality = result_.equality;
    if (result_.comparison.compared == 0) return;  // said above
    switch (level) {
      case Level::kTolerance:
        break;
      case Level::kFunction:
        if (equality.function == Tristate::kSame) break;
        if (!equality.function_text.empty()) {
          judge_function(equality);
          break;
        }
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

  void judge_function(const Equality& equality) {
    const char* const code = equality.function_code.c_str();
    if (equality.function == Tristate::kDiffers) {
      reject(code, equality.function_text);
    } else {
      add(code, equality.function_text);
      undecided_ = true;
    }
  }

  // "; the first, row 3, element 5: got nan (bits 7fc0), the exact result rounds to 0x1.8p+0".
  [[nodiscard]] std::string first_of_another_kind() const {
    const std::optional<KindWitness>& first = result_.comparison.non_finite.first;
    if (!first) return "";
    return "; the first, row " + std::to_string(first->row) + ", element " +
           std::to_string(first->index) + ": got " + hex_text(first->got) + " (bits " +
           bits_text(first->got) + "), the exact result rounds to " + hex_text(first->rounded);
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

bool is_of_same_case(const SubjectResult& a, const SubjectResult& b) {
  return a.case_index == b.case_index && a.role == b.role && a.candidate == b.candidate;
}

// What a case file expects of a candidate is about all tensors that it writes: rejected if one is.
VerdictValue verdict_on_case(const VerifyOutcome& outcome, const SubjectResult& result) {
  VerdictValue verdict = VerdictValue::kAccepted;
  for (const SubjectResult& other : outcome.results) {
    if (!is_of_same_case(other, result) || other.verdict == VerdictValue::kAccepted) continue;
    if (verdict != VerdictValue::kRejected) verdict = other.verdict;
  }
  return verdict;
}

bool is_first_tensor(const VerifyOutcome& outcome, const SubjectResult& result) {
  const auto first = std::ranges::find_if(
      outcome.results, [&](const SubjectResult& other) { return is_of_same_case(other, result); });
  return &*first == &result;
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
      const std::string_view verdict = name_of(verdict_on_case(outcome, result));
      result.as_expected = found->second == verdict;
      if (!*result.as_expected && is_first_tensor(outcome, result)) {
        rejected = true;
        outcome.reasons.push_back(
            {"unexpected", "expected to be " + found->second + ", is " + std::string(verdict),
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
