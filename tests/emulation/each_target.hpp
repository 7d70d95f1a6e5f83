// Runs a test's body under each set of vector instructions that the processor has.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "numeric/simd_target.hpp"

namespace normcert {

template <typename Body>
void for_each_target(Body body) {
  ASSERT_GE(simd_targets().size(), 1U);
  for (const std::string_view target : simd_targets()) {
    SCOPED_TRACE("target " + std::string(target));
    ASSERT_TRUE(force_simd_target(target));
    body();
    if (testing::Test::HasFatalFailure()) break;
  }
  release_simd_target();
}

}  // namespace normcert
