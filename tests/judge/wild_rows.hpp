// Inputs of the files that attack the fast comparison: rows, residuals, weights, epsilons.
#pragma once

#include "judge/wild_dice.hpp"
#include "problem/case.hpp"

namespace normcert {

// x, residual, weight, offset and epsilon; everything but the output format.
[[nodiscard]] Case wild_inputs(WildDice& dice);

}  // namespace normcert
