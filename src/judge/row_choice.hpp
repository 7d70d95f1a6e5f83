// Which rows of a case a run judges, where not all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "judge/verify_types.hpp"

namespace normcert {

enum class RowOrder : std::uint8_t { kLowQ, kSpread, kFirst, kAll };

struct RowChoice {
  std::size_t rows = 0;  // of each case; of no account with kAll
  RowOrder order = RowOrder::kAll;
};

// "low-q", "spread", "first", "all".
[[nodiscard]] std::string_view name_of(RowOrder order);

// Sets chosen_rows and choice; a case that has no more rows than that keeps all.
//   first   the first N rows
//   spread  N rows at even distances, the first and the last among them
//   low-q   the N rows of least mean square, decided exactly; among equals the lower row, and rows
//           with a non-finite input, which have none, last
void choose_rows(JudgedCase& judged, const RowChoice& choice, unsigned threads);

// `count` of the numbers below `of` at even distances, the first and the last among them.
[[nodiscard]] std::vector<std::size_t> spread_rows(std::size_t count, std::size_t of);

}  // namespace normcert
