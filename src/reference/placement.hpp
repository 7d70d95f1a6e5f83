// Values of the norm with epsilon somewhere else than the definition puts it: what other programs
// compute, to 256 bits. Not decided by integers: these are different functions, shown beside the
// reference and never the reference.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "numeric/wide.hpp"
#include "problem/case.hpp"
#include "reference/exact_row.hpp"

namespace normcert {

enum class Placement {
  kInside,       // 1/sqrt(q + e), the definition
  kOutside,      // 1/(sqrt(q) + e)
  kAfterRsqrt,   // 1/sqrt(q) + e
  kClampQ,       // 1/sqrt(max(q, e))
  kClampRms,     // 1/max(sqrt(q), e)
  kOnSum,        // 1/sqrt((S + e)/n)
  kScaledByMax,  // m = max|z|: 1/(m sqrt(mean((z/m)^2) + e))
  kNone,         // 1/sqrt(q)
};

[[nodiscard]] std::span<const std::string_view> placement_names();  // in the order above
[[nodiscard]] std::optional<Placement> find_placement(std::string_view name);

// gain z r for that placement; relative error at most 2^-248. Nothing where r is not defined (the
// row is zero and nothing is added before the root). With a gate, 2^-248 of its enclosure's middle.
[[nodiscard]] std::optional<Wide> value_with_placement(const ExactRow& row, std::size_t index,
                                                       Placement placement, double epsilon);

}  // namespace normcert
