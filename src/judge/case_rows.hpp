// A range of the rows of a case as a case of its own, with the outputs that were observed for them:
// what one block is judged from. Its rows count from 0; row_in_file() gives the number that
// witnesses show.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "judge/verify_types.hpp"

namespace normcert {

struct CaseRows {
  Case value;  // without what the case file expects
  std::optional<Outputs> observed;
  std::size_t first = 0;
  const std::vector<std::size_t>* chosen = nullptr;  // of the judged case; none: all rows
  // The row before the first, where it was asked for.
  std::unique_ptr<CaseRows> before;

  [[nodiscard]] std::size_t row_in_file(std::size_t row) const {
    return chosen == nullptr ? first + row : (*chosen)[first + row];
  }
};

// How many rows of a case are judged.
[[nodiscard]] std::size_t rows_judged(const JudgedCase& judged);

// Rows first .. first + count - 1 of those that are judged: views of the file, or copies of what
// lies apart or can be read faster than touched. Must not outlive `judged`.
[[nodiscard]] CaseRows rows_of(const JudgedCase& judged, std::size_t first, std::size_t count);

// The same with the row before the first, read in one go with them. Requires first > 0, and that
// all rows of the file are judged.
[[nodiscard]] CaseRows rows_after_another(const JudgedCase& judged, std::size_t first,
                                          std::size_t count);

// The judged rows with these numbers in their file (nothing: all of the file's) as a judged case of
// its own, with what was observed for them: views of the file, or copies.
[[nodiscard]] JudgedCase rows_alone(const JudgedCase& judged,
                                    std::optional<std::vector<std::size_t>> rows);

}  // namespace normcert
