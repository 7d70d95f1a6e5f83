// The standard set and exact sums over its rows, for tests.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "generate/standard_set.hpp"
#include "numeric/big_dyadic.hpp"
#include "numeric/wide.hpp"

namespace normcert {

inline StandardSpec standard_spec(const FloatFormat& format, std::size_t width,
                                  const std::string& epsilon) {
  StandardSpec spec;
  spec.width = width;
  spec.format = &format;
  spec.epsilon = read_epsilon(epsilon, "", "");
  return spec;
}

inline const Case* find_case(const StandardSet& set, const std::string& id) {
  for (const Case& value : set.cases) {
    if (value.id == id) return &value;
  }
  return nullptr;
}

// Reasons why rows of a class were omitted, with the rows in front.
inline std::vector<std::string> omissions_of(const StandardSet& set, const std::string& id) {
  std::vector<std::string> texts;
  for (const OmittedRows& omitted : set.omitted) {
    if (omitted.class_name == id) texts.push_back(omitted.rows + ": " + omitted.reason);
  }
  return texts;
}

inline std::vector<double> row_numbers(const TensorView& tensor, std::size_t row) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < tensor.width; ++i) numbers.push_back(to_binary64(tensor.at(row, i)));
  return numbers;
}

// Exact.
inline BigDyadic sum_of_squares(const TensorView& tensor, std::size_t row) {
  BigDyadic sum;
  for (std::size_t i = 0; i < tensor.width; ++i) {
    const BigDyadic x(decode(tensor.at(row, i)));
    sum += x * x;
  }
  return sum;
}

// Correctly rounded but for a few roundings at 256 bits.
inline double root_mean_square(const TensorView& tensor, std::size_t row) {
  return sqrt(Wide(sum_of_squares(tensor, row)) / Wide(BigDyadic::integer(tensor.width)))
      .to_binary64();
}

}  // namespace normcert
