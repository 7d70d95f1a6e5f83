#include "cli/simd_choice.hpp"

#include <cstdlib>
#include <string>

#include "numeric/float_format.hpp"
#include "numeric/simd_target.hpp"
#include "problem/error.hpp"

namespace normcert {

void choose_simd_target() {
  const char* wanted = std::getenv("NORMCERT_SIMD");
  if (wanted == nullptr || *wanted == '\0' || force_simd_target(wanted)) return;
  const auto targets = simd_targets();
  std::string known;
  for (const std::string_view name : targets) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw InputError({.code = "usage",
                    .file = "",
                    .place = "environment variable NORMCERT_SIMD",
                    .found = wanted,
                    .expected = "one that this processor has: " + known,
                    .nearest = std::string(nearest_name(wanted, targets))});
}

}  // namespace normcert
