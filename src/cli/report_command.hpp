// normcert report: what can be done with reports that are there.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kReportCommand;

}  // namespace normcert
