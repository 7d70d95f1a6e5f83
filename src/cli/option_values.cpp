#include "cli/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace normcert {
namespace {

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

InputError value_error(std::string_view option, std::string_view value, std::string expected,
                       std::string_view nearest) {
  return InputError({.code = "option_value",
                     .file = "",
                     .place = std::string(option),
                     .found = value.empty() ? "an empty value" : std::string(value),
                     .expected = std::move(expected),
                     .nearest = std::string(nearest)});
}

std::uint64_t read_integer(std::string_view option, std::string_view value, std::uint64_t least,
                           std::uint64_t greatest) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || number < least || number > greatest) {
    throw value_error(
        option, value,
        "a whole number from " + std::to_string(least) + " to " + std::to_string(greatest));
  }
  return number;
}

std::size_t read_choice(std::string_view option, std::string_view value,
                        std::span<const std::string_view> names) {
  const auto found = std::ranges::find(names, value);
  if (found == names.end()) {
    throw value_error(option, value, "one of " + joined(names), nearest_name(value, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

ExactNumber read_exact(std::string_view option, std::string_view value,
                       const std::string& expected) {
  std::optional<ExactNumber> number = read_number(value);
  if (!number) throw value_error(option, value, expected);
  const double rounded = to_binary64(*read_code(value, kFp64));
  if (!std::isfinite(rounded) || (rounded == 0 && number->numerator.sign() != 0)) {
    throw value_error(option, value, expected + " within the range of binary64");
  }
  return *std::move(number);
}

Epsilon read_epsilon_option(std::string_view option, std::string_view value) {
  if (value.empty()) throw value_error(option, value, "an epsilon such as 1e-6");
  return read_epsilon(value, "", std::string(option));
}

const std::string& required(std::string_view option, const std::optional<std::string>& value,
                            std::string_view metavar) {
  if (!value) {
    throw InputError({.code = "missing_option",
                      .file = "",
                      .place = "",
                      .found = "no " + std::string(option),
                      .expected = std::string(option) + ' ' + std::string(metavar),
                      .nearest = ""});
  }
  return *value;
}

}  // namespace normcert
