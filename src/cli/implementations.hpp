// Names on the command line -> what computes outputs: recipes of the catalogue, recipe files, and
// the built-in exact result with one rounding.
#pragma once

#include <string>
#include <vector>

#include "judge/verify_types.hpp"

namespace normcert {

// Each text is a name, a pattern over names (* and ?), or a path of a recipe file. A name that is
// given twice counts once. Throws InputError; `option` is its place.
[[nodiscard]] std::vector<Implementation> implementations_of(const std::vector<std::string>& texts,
                                                             const std::string& option);

// Exactly one: a name or a file.
[[nodiscard]] Implementation implementation_of(const std::string& text, const std::string& option);

// Recipes to name a way of rounding by: those of `named`, then those of the catalogue, Hugging
// Face's first and those of one device last.
[[nodiscard]] std::vector<const Recipe*> recipes_by_preference(
    const std::vector<Implementation>& named);

}  // namespace normcert
