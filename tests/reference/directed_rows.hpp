// Rows chosen by hand: the ends of the formats, zeros, cancellation, odd weights and epsilons.
#pragma once

#include <string>
#include <vector>

#include "reference/built_case.hpp"

namespace normcert {

struct NamedRow {
  std::string name;
  RowNumbers numbers;
};

// Every row has S + n epsilon > 0.
[[nodiscard]] std::vector<NamedRow> directed_rows();

// A row of that width whose elements differ in size and sign.
[[nodiscard]] RowNumbers long_row(const FloatFormat& format, std::size_t width);

}  // namespace normcert
