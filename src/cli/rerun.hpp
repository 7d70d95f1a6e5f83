// The command line that gives the same result again, for people to paste into a shell.
#pragma once

#include <string>
#include <string_view>

#include "cli/option_list.hpp"
#include "cli/shared_options.hpp"

namespace normcert {

// As a word of a POSIX shell (with $'...' for what is not printable).
[[nodiscard]] std::string shell_word(std::string_view text);

// "normcert attenuation --epsilon 1e-6": the command's own options in the order of its list, and of
// the shared ones those that can change a result. Where the result goes and how it is shown is left
// out, so that the report does not depend on it.
[[nodiscard]] std::string rerun_line(std::string_view command, const OptionList& options,
                                     const SharedOptionTexts& shared);

}  // namespace normcert
