// What `normcert verify --require function` says of ports that never were.
#pragma once

#include <cstdint>
#include <string>

#include "judge/verify_types.hpp"

namespace normcert {

struct PortEvidence {
  std::string described;  // by its number
  std::string dtype;
  std::size_t width = 0;
  std::string defect;  // empty: none
  // Accepted: the declared function; rejected: another one; inconclusive: undecided.
  VerdictValue verdict = VerdictValue::kInconclusive;
  std::size_t cases = 0;
  std::size_t cases_same = 0;        // whose `function` is same
  std::size_t cases_differ = 0;      // whose `function` is differs
  bool declared_impossible = false;  // the diagnosis calls the declared epsilon impossible
  bool truth_refuted = false;        // what the port computes is called impossible
  double slack_of_truth = 0;         // where it has a name and is not refuted
  std::string reason;                // of a rejection
};

// A port of the conforming set, on rows of its own.
[[nodiscard]] PortEvidence evidence_of_port(std::uint64_t number, std::size_t most_width);
// A defective one, on the standard cases.
[[nodiscard]] PortEvidence evidence_of_defect(std::uint64_t number, std::size_t most_width);

}  // namespace normcert
