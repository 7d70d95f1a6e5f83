// The value of --dtype-of: formats of the numbers in float32 dumps.
#pragma once

#include <string>

#include "judge/verify_types.hpp"

namespace normcert {

inline constexpr const char* kDtypeOfValue = "x=T,weight=T,y=T";
inline constexpr const char* kDtypeOfHelp =
    "format of the numbers in a float32 dump; default: what they show";

// "x=bf16,y=bf16". Throws InputError, with the word that it cannot read.
[[nodiscard]] FormatsOfDump read_formats_of_dump(const std::string& text);

}  // namespace normcert
