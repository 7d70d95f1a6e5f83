// normcert schema: the JSON Schemas of the files that the program writes and reads.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kSchemaCommand;

}  // namespace normcert
