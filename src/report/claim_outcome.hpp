// Published statements that the cases of a file check, and whether the cases show them.
#pragma once

#include <cstddef>
#include <string>

#include "judge/verify_types.hpp"

namespace normcert {

struct ClaimOutcome {
  std::string file;
  Claim claim;
  std::size_t first_case = 0;  // its cases stand at first_case .. end_case - 1
  std::size_t end_case = 0;
};

// Every expectation of its cases holds, of numbers and of verdicts.
[[nodiscard]] bool claim_holds(const VerifyOutcome& outcome, const ClaimOutcome& claim);

}  // namespace normcert
