// normcert diagnose: what a port computes.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kDiagnoseCommand;

}  // namespace normcert
