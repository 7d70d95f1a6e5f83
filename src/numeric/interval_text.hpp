// Two ends of an interval in few digits, for readers.
#pragma once

#include <string>

namespace normcert {

// "9.1e-07 .. 2e-06": both ends with `digits` significant digits, rounded to nearest, and with as
// many more as it takes for ends that differ to read otherwise. Equal ends stand there once.
[[nodiscard]] std::string interval_text(double low, double high, int digits);

}  // namespace normcert
