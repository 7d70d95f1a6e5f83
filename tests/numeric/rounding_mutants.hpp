// Rounding functions with one defect each, as they occur in real code. The rounding suite has to
// reject every one of them.
#pragma once

#include <span>
#include <string_view>

#include "numeric/rounding_suite.hpp"

namespace normcert {

struct RoundingMutant {
  std::string_view name;
  Code (*round)(const Dyadic&, const FloatFormat&, RoundingRule);
};

std::span<const RoundingMutant> rounding_mutants();

}  // namespace normcert
