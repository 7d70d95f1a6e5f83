// Whether a hypothesis says what was declared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inference/elimination.hpp"

namespace normcert {

enum class StatisticKept : std::uint8_t {
  kBinary32,  // or better, of the inputs as they are: what level function asks for
  kAnyFormat,
};

// The declared offset as text; none: not declared.
[[nodiscard]] std::optional<std::string> declared_offset(const Case& value);

// Of one number: "1" and "1.0".
[[nodiscard]] bool same_offset(const std::string& a, const std::string& b);

// The declared offset (any where none is), and the weight used once, in whatever format.
[[nodiscard]] bool is_declared_gain(const std::string& offset, const std::string& use,
                                    const std::optional<std::string>& declared);

// A sum that is formed in the input's format: in 16 bits its order is free by per cents, which
// would excuse another statistic, divisor or epsilon as well.
[[nodiscard]] bool is_last_resort(const Hypothesis& hypothesis);

// Mean square, epsilon inside the root, the declared gain, the residual added once, wherever it is
// rounded on the way; no statement about the epsilon itself.
[[nodiscard]] bool is_declared_function(const Hypothesis& hypothesis,
                                        const std::optional<std::string>& offset,
                                        StatisticKept kept);

}  // namespace normcert
