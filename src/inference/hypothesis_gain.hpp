// What multiplies the normalised row under a hypothesis, in binary64.
#pragma once

#include <optional>
#include <vector>

#include "inference/elimination.hpp"

namespace normcert {

// One number for each channel, offset + weight rounded once to binary64. `hypothesis`: whose offset
// and use of the weight are meant; nullptr: the declared ones. Nothing where nobody says what the
// gain is, or where the weight is used twice.
[[nodiscard]] std::optional<std::vector<double>> gain_under(const Case& value,
                                                            const Hypothesis* hypothesis);

}  // namespace normcert
