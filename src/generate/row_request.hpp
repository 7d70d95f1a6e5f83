// What one generator is asked for, and the numbers that generators derive from it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "numeric/random.hpp"
#include "problem/generator_spec.hpp"

namespace normcert {

struct RowRequest {
  const GeneratorSpec& spec;
  double epsilon = 0;        // >= 0
  double weight_offset = 0;  // finite

  // Random numbers of one row; different rows and generators are independent.
  [[nodiscard]] RandomStream stream(std::size_t row) const;
  // How many rows: as asked for, else `by_itself`.
  [[nodiscard]] std::size_t rows(std::size_t by_itself) const;
  // A parameter's numbers as texts; at least one.
  [[nodiscard]] std::vector<std::string> texts(std::string_view parameter) const;
};

// Correctly rounded value of a text that fits(text, kReal).
[[nodiscard]] double number_of(const std::string& text);
// Correctly rounded 10^exponent, |exponent| <= 400: infinite or zero where it leaves binary64.
[[nodiscard]] double power_of_ten(int exponent);
// Greatest finite number of a format: exact.
[[nodiscard]] double greatest_number_of(const FloatFormat& format);

}  // namespace normcert
