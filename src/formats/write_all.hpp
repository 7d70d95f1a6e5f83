// Writing to a descriptor until everything is written.
#pragma once

#include <string_view>

namespace normcert {

// Returns 0, or the errno of what failed.
[[nodiscard]] int write_all(int descriptor, std::string_view content) noexcept;

}  // namespace normcert
