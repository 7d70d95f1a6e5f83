#include "report/claim_outcome.hpp"

namespace normcert {

bool claim_holds(const VerifyOutcome& outcome, const ClaimOutcome& claim) {
  for (std::size_t i = claim.first_case; i < claim.end_case; ++i) {
    const auto& expectation = outcome.cases[i].expectation;
    if (expectation && !expectation->failures.empty()) return false;
  }
  for (const SubjectResult& result : outcome.results) {
    const bool belongs =
        result.case_index >= claim.first_case && result.case_index < claim.end_case;
    if (belongs && result.as_expected && !*result.as_expected) return false;
  }
  return true;
}

}  // namespace normcert
