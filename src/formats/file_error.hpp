// An error about a file as a whole: what is there in its place, and what should be.
#pragma once

#include <filesystem>
#include <string>

#include "problem/error.hpp"

namespace normcert {

[[nodiscard]] InputError file_error(const std::filesystem::path& path, std::string found,
                                    std::string expected);

// The system's words for an errno.
[[nodiscard]] std::string system_reason(int error_number);

}  // namespace normcert
