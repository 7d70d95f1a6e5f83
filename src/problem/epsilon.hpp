// A declared epsilon: the text as it stands in a file, the binary64 number that the reference uses,
// and what that number becomes in the formats in which kernels add it.
#pragma once

#include <string>
#include <string_view>

#include "numeric/code.hpp"

namespace normcert {

struct Epsilon {
  std::string text;     // token as it stands, e.g. "1e-05"
  double binary64 = 0;  // correctly rounded from the text (GGUF: the stored binary32)

  // The declared binary64 value rounded once to `format`: what a kernel that adds epsilon in that
  // format adds. binary16 turns 1e-6 into 1.01328e-6 and 1e-8 into 0.
  [[nodiscard]] Code as(const FloatFormat& format) const;
  // The same where the format's subnormal numbers are flushed to zero.
  [[nodiscard]] Code as_flushed(const FloatFormat& format) const;
};

// Whether a zero epsilon is an error: a declared epsilon is > 0, 0 occurs only in hypotheses.
enum class ZeroEpsilon { kRefused, kAllowed };

// Reads decimal or C99 hexadecimal text. Throws InputError with code epsilon_unreadable,
// epsilon_not_finite or epsilon_not_positive; `file` and `place` go into its text.
[[nodiscard]] Epsilon read_epsilon(std::string_view text, const std::string& file,
                                   const std::string& place,
                                   ZeroEpsilon zero = ZeroEpsilon::kRefused);

}  // namespace normcert
