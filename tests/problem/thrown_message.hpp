// The text of the InputError that an action throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "problem/error.hpp"
#include "problem/utf8_oracle.hpp"

namespace normcert {

template <typename Action>
std::string thrown_message(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_TRUE(is_utf8(error.what())) << error.what();
    EXPECT_EQ(describe(error.parts()), error.what());
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return "";
}

}  // namespace normcert
