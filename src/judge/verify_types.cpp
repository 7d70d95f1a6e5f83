#include "judge/verify_types.hpp"

namespace normcert {

bool takes_gate_of(const Implementation& implementation, const Case& value) {
  return implementation.recipe == nullptr ||
         (implementation.recipe->gate != GateMode::kNone) == value.gate.has_value();
}

std::string_view name_of(VerdictValue verdict) {
  switch (verdict) {
    case VerdictValue::kAccepted:
      return "accepted";
    case VerdictValue::kRejected:
      return "rejected";
    case VerdictValue::kInconclusive:
      return "inconclusive";
  }
  return {};
}

const std::string& shown_name(const CaseSummary& summary) {
  const bool is_site = !summary.site.empty() && summary.id.ends_with("/" + summary.site);
  return is_site ? summary.site : summary.id;
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::kObserved:
      return "observed";
    case Role::kCandidate:
      return "candidate";
    case Role::kYardstick:
      return "yardstick";
    case Role::kMutant:
      return "mutant";
  }
  return {};
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kFunction:
      return "function";
    case Level::kRounding:
      return "rounding";
    case Level::kBits:
      return "bits";
    case Level::kTolerance:
      return "tolerance";
  }
  return {};
}

std::string_view name_of(Tristate value) {
  switch (value) {
    case Tristate::kSame:
      return "same";
    case Tristate::kDiffers:
      return "differs";
    case Tristate::kUndecided:
      return "undecided";
  }
  return {};
}

std::string_view name_of(OutputTensor tensor) {
  return tensor == OutputTensor::kY ? "y" : "residual_out";
}

}  // namespace normcert
