// Is this a capture at all? Most first captures are wrong, not the kernel: x taken after the kernel
// wrote over it, x of another site, rows that do not belong together. Each site is checked before
// anything is judged; one that fails is not judged, and never rejected.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problem/case.hpp"

namespace normcert {

// One site as captured. What the pointers refer to must outlive the check.
struct CapturedSite {
  const Case* value = nullptr;
  const TensorView* y = nullptr;             // shape of x
  const TensorView* residual_out = nullptr;  // may be absent
  // Inputs that this program made, fed to a kernel later: no hook can have taken them too late.
  bool inputs_are_ours = false;
};

struct HealthProblem {
  // "not-a-pair", "input-overwritten", "same-capture-twice", "non-finite-capture", "gated"
  std::string code;
  std::string text;  // what was found and what fits instead
};

struct SiteHealth {
  std::vector<HealthProblem> problems;  // of a site that is not judged; empty: it is
  std::size_t zero_rows = 0;            // of x, all elements zero
  std::size_t constant_rows = 0;        // all elements equal, not zero
  // Median of 1 - cosine between y / gain and x, under the gain that fits best; none where no row
  // can be compared.
  std::optional<double> distance;
};

// One result per site, in their order. Sites of equal shape are tried as each other's inputs.
[[nodiscard]] std::vector<SiteHealth> check_captures(std::span<const CapturedSite> sites);

}  // namespace normcert
