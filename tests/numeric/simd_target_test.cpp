#include "numeric/simd_target.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace normcert {
namespace {

TEST(SimdTarget, PlainOneIsEverywhereAndTheBestIsTaken) {
  const auto targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.back(), "emu128");
  EXPECT_EQ(simd_target(), targets.front());
}

TEST(SimdTarget, EachCanBeForcedAndReleased) {
  for (const std::string_view name : simd_targets()) {
    ASSERT_TRUE(force_simd_target(name)) << name;
    EXPECT_EQ(simd_target(), name);
    EXPECT_GE(simd_targets().size(), 1U);
  }
  release_simd_target();
  EXPECT_EQ(simd_target(), simd_targets().front());
}

TEST(SimdTarget, UnknownNamesChangeNothing) {
  EXPECT_FALSE(force_simd_target("avx9"));
  EXPECT_FALSE(force_simd_target(""));
  EXPECT_EQ(simd_target(), simd_targets().front());
}

}  // namespace
}  // namespace normcert
