// Numbers and rows of numbers as case files write them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/json_text.hpp"
#include "problem/epsilon.hpp"
#include "problem/tensor.hpp"

namespace normcert {

enum class NonFinite : bool { kRefused, kAllowed };

// One element. A JSON number is rounded to binary64 and then to the format, a string once from its
// text. A number that overflows the format is refused either way (non_finite_input).
[[nodiscard]] Code read_element(const JsonNode& node, const FloatFormat& format,
                                NonFinite non_finite);

// An array of rows of equal length, or a flat array, which is one row.
[[nodiscard]] Tensor read_rows(const JsonNode& node, const FloatFormat& format,
                               NonFinite non_finite);

// Rows and elements per row, before anything is read: {0, 0} is never returned.
struct RowShape {
  std::size_t rows = 0;
  std::size_t width = 0;
  bool flat = false;
};
[[nodiscard]] RowShape shape_of_rows(const JsonNode& node);

// The element at a place of an array whose shape is `shape`.
[[nodiscard]] JsonNode element_of_rows(const JsonNode& node, const RowShape& shape, std::size_t row,
                                       std::size_t index);

// Number or string; the token is kept. 0 is allowed where it is written as 0, not where a number
// above 0 vanishes in binary64.
[[nodiscard]] Epsilon read_case_epsilon(const JsonNode& node);

// The text of a number: a JSON number's token or a string's content; throws for anything else.
[[nodiscard]] std::string number_text(const JsonNode& node);

// "one of a, b, c"
[[nodiscard]] std::string one_of(std::span<const std::string_view> names);

}  // namespace normcert
