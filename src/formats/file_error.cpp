#include "formats/file_error.hpp"

#include <system_error>
#include <utility>

namespace normcert {

InputError file_error(const std::filesystem::path& path, std::string found, std::string expected) {
  return InputError({.code = "",
                     .file = path.string(),
                     .place = "",
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = ""});
}

std::string system_reason(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace normcert
