// What outputs look like that no known function gives: where the deviation sits, as words that
// point at a cause. Symptoms are no verdicts and no statement about epsilon.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "problem/case.hpp"

namespace normcert {

struct Symptom {
  // "all_zeros", "non_finite", "channels", "tail", "small_rows", "large_rows", "repeated_factor",
  // "constant_factor", "factor_of_q", "some_rows", "statistic_not_from_these_values", "scattered"
  std::string code;
  std::string text;
};

// At least one. Where y / (gain x) of each row is one factor, what that factor does from row to
// row; else where the elements lie that do not follow it. Reads all rows and keeps few: whose
// factor another row has is looked for among 4096 of them around the first that deviates.
// `numbers`: what the rows are called; empty: they count from 0.
[[nodiscard]] std::vector<Symptom> symptoms_of(const Case& value, const TensorView& y,
                                               std::span<const std::size_t> numbers = {});

}  // namespace normcert
