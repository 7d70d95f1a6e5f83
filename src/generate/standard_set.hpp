// The standard cases: for one format, width and epsilon one case per class, from zero rows to rows
// whose results lie next to rounding midpoints. What each class is for stands beside the
// generators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "generate/row_list.hpp"
#include "problem/case.hpp"

namespace normcert {

struct StandardSpec {
  std::size_t width = 0;
  const FloatFormat* format = &kFp64;          // of x and y
  const FloatFormat* weight_format = nullptr;  // of a generated weight; nullptr: that of x
  Epsilon epsilon;
  WeightOffset weight_offset;
  std::uint64_t seed = 0;
  // The weight of a model, used for all classes but `midpoint`, which needs its own.
  std::optional<TensorView> weight;
};

struct StandardSet {
  std::vector<Case> cases;           // in the order of standard_classes(); id = class
  std::vector<OmittedRows> omitted;  // single rows, or whole classes (rows == "all")
};

// Throws InputError where width is 0, epsilon is missing or the weight does not fit.
[[nodiscard]] StandardSet standard_set(const StandardSpec& spec);

}  // namespace normcert
