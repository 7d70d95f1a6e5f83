// Says in our words why a text is not JSON: what stands there and what should.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "problem/error.hpp"

namespace normcert {

struct JsonSyntaxFault {
  std::string_view file;
  std::string_view text;
  std::size_t first_byte;      // of `text` in the file
  std::string path;            // of the innermost open array or object
  std::size_t behind_last;     // offset behind the last token that was accepted
  std::size_t bytes_read;      // by the parser, the offending one included
  std::string_view complaint;  // what() of the parser's exception
  bool before_root;            // no token was accepted
  bool after_root;             // the document was complete already
};

[[nodiscard]] InputError json_syntax_error(const JsonSyntaxFault& fault);

// An error at `offset` of the text; place with path, line, column and byte.
[[nodiscard]] InputError json_error_at(const JsonSyntaxFault& fault, std::size_t offset,
                                       std::string found, std::string expected);

}  // namespace normcert
