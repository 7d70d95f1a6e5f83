// Ends of an interval that differ never read alike.
#include "numeric/interval_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace normcert {
namespace {

TEST(IntervalText, FewDigitsWhereTheyTellTheEndsApart) {
  EXPECT_EQ(interval_text(9.0712e-7, 2.0049e-6, 3), "9.07e-07 .. 2e-06");
  EXPECT_EQ(interval_text(-0.0, 1, 3), "0 .. 1");
}

TEST(IntervalText, MoreDigitsWhereTheEndsWouldReadAlike) {
  EXPECT_EQ(interval_text(9.99987e-6, 1.00003e-5, 3), "9.9999e-06 .. 1e-05");
  EXPECT_EQ(interval_text(1.0001e-5, 1.0004e-5, 3), "1.0001e-05 .. 1.0004e-05");
  const double next = 1 + std::numeric_limits<double>::epsilon();
  EXPECT_EQ(interval_text(1, next, 2), "1 .. 1.0000000000000002");
}

TEST(IntervalText, EqualEndsAreOneNumber) {
  EXPECT_EQ(interval_text(1e-5, 1e-5, 3), "1e-05");
  EXPECT_EQ(interval_text(0.0, -0.0, 3), "0");
}

}  // namespace
}  // namespace normcert
