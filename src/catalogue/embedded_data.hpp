// The recipes, families and norm classes of cases/, compiled into the program.
#pragma once

#include <span>

#include "problem/embedded_file.hpp"

namespace normcert {

// One entry per cases/recipes/*.json, by file name.
std::span<const EmbeddedFile> embedded_recipes();

// One entry per cases/families/*.json, by file name.
std::span<const EmbeddedFile> embedded_families();

// One entry per cases/classes/*.json, by file name.
std::span<const EmbeddedFile> embedded_norm_classes();

}  // namespace normcert
