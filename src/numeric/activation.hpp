// The activations that gates of norms use, of any finite number g:
//
//   silu(g) = g / (1 + e^-g)        sigmoid(g) = 1 / (1 + e^-g)
//
// e^g is transcendental for every rational g but 0 (Lindemann), so an activation of a
// floating-point number other than 0 is never one itself, nor a midpoint between two: enough digits
// always decide how it rounds. silu(0) = 0 with the sign of the zero, sigmoid(0) = 1/2.
#pragma once

#include <cstdint>

#include "numeric/big_dyadic.hpp"
#include "numeric/code.hpp"
#include "numeric/double_double.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

enum class Activation : std::uint8_t { kSilu, kSigmoid };

// How many binary digits of an activation precise_activation() has.
inline constexpr int kActivationBits = 320;

// The activation with a relative error of at most 2^-kActivationBits; exact where g is 0. Requires
// a finite g; slow (some ten microseconds).
[[nodiscard]] BigDyadic precise_activation(Activation activation, Code g);

// *Correctly rounded* to nearest even. silu(-infinity) = -0, silu(+infinity) = +infinity,
// sigmoid(-infinity) = +0, sigmoid(+infinity) = 1, NaN stays.
[[nodiscard]] Code rounded_activation(Activation activation, Code g, const FloatFormat& format);

// The activation with a relative error of at most kDoubleDoubleActivationError, of any finite
// binary64 number whose activation is 0 or of magnitude in [2^-900, 2^900]; else NaN: the caller
// asks precise_activation().
inline constexpr double kDoubleDoubleActivationError = 0x1p-90;
[[nodiscard]] DoubleDouble double_double_activation(Activation activation, double g);

}  // namespace normcert
