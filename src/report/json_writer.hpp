// JSON values as text, the same bytes on every machine: keys in the order in which they were put
// in, two blanks of indentation, a container of scalars that fits stands on one line.
//
// Numbers are the shortest that read back to the same binary64; what is not finite becomes the
// string "nan", "inf" or "-inf". The text is always valid UTF-8: a byte of a string that is not
// becomes \xNN, spelt out; control characters and those that show nothing or reorder what follows
// are JSON escapes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcert {

// Ends with a line feed.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

}  // namespace normcert
