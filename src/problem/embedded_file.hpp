// A file of the source tree that was compiled into the program (cmake/embed.cmake writes them).
#pragma once

#include <string_view>

namespace normcert {

struct EmbeddedFile {
  std::string_view name;     // file name without folders, "hf.llama.json"
  std::string_view content;  // its bytes; static storage, not terminated by NUL
};

}  // namespace normcert
