// normcert cases: writes inputs for a kernel.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kCasesCommand;

}  // namespace normcert
