// The recipe that is changed to make a port's mutants.
#pragma once

#include <optional>

#include "judge/verify_types.hpp"
#include "problem/recipe.hpp"

namespace normcert {

// For outputs in format `y` of some rows of a case, those of `candidate` or (nullptr) those that
// were observed. The candidate's own recipe; of a port, among recipes of the declared function and
// the source recipe the one that gives most of the outputs, the source recipe among equals; where
// the source is the exact result rounded once, the declared function in binary64. Written in `y`;
// nothing where no recipe writes that.
[[nodiscard]] std::optional<Recipe> mutant_base(const VerifyRequest& request,
                                                const JudgedCase& rows, const FloatFormat& y,
                                                const Implementation* candidate);

}  // namespace normcert
