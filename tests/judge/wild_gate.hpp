// Gates for the files that attack the fast comparison.
#pragma once

#include "judge/wild_dice.hpp"
#include "problem/case.hpp"

namespace normcert {

// A gate of any format for the rows of `value`.
[[nodiscard]] Gate wild_gate(WildDice& dice, const Case& value);

}  // namespace normcert
