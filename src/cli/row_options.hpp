// The options that say which of the rows a run judges: --rows and --part.
#pragma once

#include <string>

#include "judge/block_plan.hpp"
#include "judge/row_choice.hpp"

namespace normcert {

// "all", "N", "N:low-q", "N:spread", "N:first", "N:all"; N alone spreads. Throws InputError.
[[nodiscard]] RowChoice read_row_choice(const std::string& text);

// "I/N" with 1 <= I <= N. Throws InputError.
[[nodiscard]] Part read_part(const std::string& text);

}  // namespace normcert
