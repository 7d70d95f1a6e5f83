// The table of commands.
#pragma once

#include <span>
#include <string_view>

#include "cli/command.hpp"

namespace normcert {

// In the order of the first screen of help.
[[nodiscard]] std::span<const CommandDescription* const> all_commands();

[[nodiscard]] const CommandDescription* find_command(std::string_view name);

}  // namespace normcert
