// normcert recipes: lists, shows and checks recipes.
#pragma once

#include "cli/command.hpp"

namespace normcert {

extern const CommandDescription kRecipesCommand;

}  // namespace normcert
