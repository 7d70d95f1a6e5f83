// The `generate` member of a case: {"name": "normal", "dim": 64, "rows": 4, "seed": 7, "rms":
// ["1"]}.
#pragma once

#include <cstddef>

#include "formats/json_text.hpp"
#include "problem/generator_spec.hpp"

namespace normcert {

// Name, width, rows, seed and parameters; formats are the caller's. At most `max_elements`
// elements.
[[nodiscard]] GeneratorSpec read_generator(const JsonNode& node, std::size_t max_elements);

// An upper bound of the number of elements that the generator makes.
[[nodiscard]] std::size_t most_elements(const GeneratorSpec& spec);

}  // namespace normcert
