// What --help prints.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/option_list.hpp"

namespace normcert {

// The first screen: what one may have, and the command for it.
[[nodiscard]] std::string overview(const OptionList& shared);

[[nodiscard]] std::string command_help(const CommandDescription& command, const OptionList& own,
                                       const OptionList& shared);

}  // namespace normcert
