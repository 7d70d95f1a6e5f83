// What a BigDyadic is made of, for the .cpp files of `numeric` alone: it is the one header that
// shows Boost.Multiprecision.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "numeric/big_dyadic.hpp"

namespace normcert {

using BigInteger = boost::multiprecision::cpp_int;

struct BigDyadic::Parts {
  BigInteger integer = 0;
  std::int64_t exponent = 0;
};

}  // namespace normcert
