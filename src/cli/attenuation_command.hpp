// normcert attenuation: how much an epsilon takes away from rows of a given mean square.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kAttenuationCommand;

}  // namespace normcert
