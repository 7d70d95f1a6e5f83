// e^x, correctly rounded: what the activations of gates are made of.
#pragma once

#include "numeric/code.hpp"
#include "numeric/float_format.hpp"

namespace normcert {

// *Correctly rounded* to nearest even, of any code; `format` is kFp32 or kFp64. e^-infinity = +0,
// e^infinity = infinity, NaN stays. e^x is transcendental for every other x but 0 (Lindemann), so
// no result is a number of the format or a midpoint, and enough digits decide how it rounds.
[[nodiscard]] Code rounded_exponential(Code x, const FloatFormat& format);

// The same for binary32, in most cases by one binary64 exponential whose error cannot matter: what
// it makes of both ends of its margin rounds alike.
[[nodiscard]] float rounded_exponential(float x);

}  // namespace normcert
