// Which of the activations that a recipe allows is meant: emulation/activation_step.hpp.
#pragma once

#include <cstdint>

namespace normcert {

// Of a gate's activations that a recipe allows where it does not know the exponential: the one that
// it emulates, and those of the greatest and the least magnitude.
enum class ActivationEnd : std::uint8_t { kEmulated, kGreatest, kLeast };

}  // namespace normcert
