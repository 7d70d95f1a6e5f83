// Operations on numbers of 16 bits, done twice: exactly with one rounding, and in binary32 with a
// second rounding. For + - x / and sqrt the results are the same ("innocuous double rounding",
// Figueroa 1995: binary32 has 24 >= 2 p + 2 digits).
#pragma once

#include <array>
#include <string_view>

#include "numeric/code.hpp"

namespace normcert {

struct NarrowOperation {
  std::string_view name;
  // Of finite numbers of one format, the second other than zero for the quotient.
  Code (*rounded_once)(Code a, Code b);
  Code (*through_binary32)(Code a, Code b);
};
extern const std::array<NarrowOperation, 4> kNarrowOperations;

// Of a number that is not negative.
Code root_rounded_once(Code a);
Code root_through_binary32(Code a);

}  // namespace normcert
