// The activations that gates of norms use, of any finite number g:
//
//   silu(g) = g / (1 + e^-g)        sigmoid(g) = 1 / (1 + e^-g)
//
// e^g is transcendental for every rational g but 0 (Lindemann), so an activation of a
// floating-point number other than 0 is never one itself, nor a midpoint between two: enough digits
// always decide how it rounds. silu(0) = 0 with the sign of the zero, sigmoid(0) = 1/2.
//
// Far out an activation lies very near to a plain number: sigmoid(g) to 0, to 1/2 around g = 0 and
// to 1; silu(g) to 0, to g/2 and to g. What must be known of it is how far from that number it
// lies, or its difference from a tie could not be told. All below are as precise as that.
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

// |activation - value| < error, or the activation is `value` where the error is 0.
struct EnclosedActivation {
  BigDyadic value;
  BigDyadic error;

  [[nodiscard]] bool is_exact() const { return error.sign() == 0; }
};

// For |g| up to kGreatestGate the error is at most 2^-kActivationBits times the distance of the
// activation from the plain number (above) that it lies near to, and with it relatively. Beyond,
// that distance is known to be above 0 and below 2^-189000, which tells it from everything that is
// made of floating-point numbers: an interval of that width. Requires a finite g; slow (some ten
// microseconds, and the number has about 1.44 |g| bits where g is large and positive).
inline constexpr double kGreatestGate = 0x1p17;
[[nodiscard]] EnclosedActivation enclosed_activation(Activation activation, Code g);

// The value alone.
[[nodiscard]] BigDyadic precise_activation(Activation activation, Code g);

// *Correctly rounded* to nearest even. silu(-infinity) = -0, silu(+infinity) = +infinity,
// sigmoid(-infinity) = +0, sigmoid(+infinity) = 1, NaN stays.
[[nodiscard]] Code rounded_activation(Activation activation, Code g, const FloatFormat& format);

// The activation with a relative error of at most kDoubleDoubleActivationError; a zero is exact.
// Requires a finite g; NaN for g < -kGreatestGate, and where arithmetic_is_default() does not hold.
inline constexpr double kDoubleDoubleActivationError = 0x1p-96;
[[nodiscard]] ScaledDoubleDouble scaled_activation(Activation activation, double g);

// The same as one pair of binary64 numbers (a low part below 2^-1022 loses 2^-1074 at most), where
// the magnitude lies in [2^-898, 2^899) or is 0; else NaN: the caller asks one of the others.
[[nodiscard]] DoubleDouble double_double_activation(Activation activation, double g);

}  // namespace normcert
