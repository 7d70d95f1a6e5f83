// The program: words of the command line in, exit status out.
#pragma once

#include <span>
#include <string>

namespace normcert {

// `words` are the arguments without the program's name. Everything goes to stdout, stderr and the
// files that the words name. Throws InputError for whatever is wrong with the input.
[[nodiscard]] int run(std::span<const std::string> words);

}  // namespace normcert
