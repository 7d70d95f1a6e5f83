// JSON as Python's json module writes it: NaN, Infinity and -Infinity may stand for numbers, which
// RFC 8259 does not know. config.json files hold them in keys that have nothing to do with norms
// ("time_step_limit": [0.0, Infinity] in Nemotron-H), and must be readable nevertheless.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace normcert {

// Puts a JSON string of the same length in the place of each such word, so that all places stay
// what they are. Returns the words by the offsets where they stand.
[[nodiscard]] std::map<std::size_t, std::string> replace_python_numbers(std::string& text);

}  // namespace normcert
