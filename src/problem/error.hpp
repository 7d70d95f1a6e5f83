// The one exception of the program. Bad input is reported with the place where it stands (file,
// JSON path, line, byte offset or option), what was found there, what was expected, and the nearest
// known name where a name was misspelt. Caught once, in main: exit status 2.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace normcert {

struct ErrorParts {
  std::string code;      // short stable word, e.g. "shape_mismatch"; may be empty
  std::string file;      // path as given by the user; empty for options
  std::string place;     // "cases[3].x[0][2], line 12" or "byte 8" or "--epsilon"; may be empty
  std::string found;     // what stands there, as it stands there
  std::string expected;  // what would have been right
  std::string nearest;   // nearest known name, or empty
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(ErrorParts parts);
  [[nodiscard]] const ErrorParts& parts() const { return parts_; }

 private:
  ErrorParts parts_;
};

// One line, e.g.:  cases.json: cases[3].dtype, line 12: found "bf61", expected one of fp64, fp32,
// bf16, fp16 (did you mean "bf16"?). Control characters and invalid UTF-8 in it are escaped.
[[nodiscard]] std::string describe(const ErrorParts& parts);

// `text` with control characters (C0, DEL, C1), invalid UTF-8 and bidirectional controls shown as
// \xNN or \u{NNNN}, so that it can be printed anywhere; valid printable UTF-8 stays. Longer than
// `limit` bytes: cut at a character with "..." behind. Always valid UTF-8.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

}  // namespace normcert
