// normcert verify: the main job.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kVerifyCommand;

}  // namespace normcert
