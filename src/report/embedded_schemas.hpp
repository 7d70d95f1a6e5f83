// The JSON Schemas of reports/schema, compiled into the program.
#pragma once

#include <span>

#include "problem/embedded_file.hpp"

namespace normcert {

// One entry per reports/schema/*.json, by file name.
std::span<const EmbeddedFile> embedded_schemas();

}  // namespace normcert
