// Reading the text of an option. Each function throws an InputError that names the option, repeats
// the value as it was typed and says what would have been right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "numeric/decimal.hpp"
#include "problem/epsilon.hpp"
#include "problem/error.hpp"

namespace normcert {

[[nodiscard]] InputError value_error(std::string_view option, std::string_view value,
                                     std::string expected, std::string_view nearest = "");

// Digits alone, within [least, greatest].
[[nodiscard]] std::uint64_t read_integer(std::string_view option, std::string_view value,
                                         std::uint64_t least, std::uint64_t greatest);

// The index of `value` among `names`.
[[nodiscard]] std::size_t read_choice(std::string_view option, std::string_view value,
                                      std::span<const std::string_view> names);

// Exact: a decimal or hexadecimal number that is 0, or a magnitude that binary64 can hold (neither
// overflow nor underflow to zero). "nan" and "inf" are none. `expected` goes into the message.
[[nodiscard]] ExactNumber read_exact(std::string_view option, std::string_view value,
                                     const std::string& expected);

// As read_epsilon(), for an option: above 0.
[[nodiscard]] Epsilon read_epsilon_option(std::string_view option, std::string_view value);

// For an option that must be there.
[[nodiscard]] const std::string& required(std::string_view option,
                                          const std::optional<std::string>& value,
                                          std::string_view metavar);

}  // namespace normcert
