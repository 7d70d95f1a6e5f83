#include "report/decimal_text.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace normcert {
namespace {

TEST(DecimalText, Decimals) {
  EXPECT_EQ(with_decimals("9.950371902099892e-02", 6), "0.099504");
  EXPECT_EQ(with_decimals("3.0151134457776363e-01", 6), "0.301511");
  EXPECT_EQ(with_decimals("7.071067811865475e-01", 6), "0.707107");
  EXPECT_EQ(with_decimals("0", 6), "0.000000");
  EXPECT_EQ(with_decimals("1.5e+03", 2), "1500.00");
  EXPECT_EQ(with_decimals("1.5e+00", 0), "2");
  EXPECT_EQ(with_decimals("2.5e+00", 0), "2");
  EXPECT_EQ(with_decimals("9.9999950000e-01", 6), "1.000000");  // a tie, to even
  EXPECT_EQ(with_decimals("9.9999949999e-01", 6), "0.999999");
  EXPECT_EQ(with_decimals("5e-07", 6), "0.000000");  // a tie, to even
  EXPECT_EQ(with_decimals("5.0000000001e-07", 6), "0.000001");
  EXPECT_EQ(with_decimals("9.9e-09", 6), "0.000000");
}

TEST(DecimalText, SignificantDigits) {
  EXPECT_EQ(with_significant_digits("4.925125628140703517587e+01", 12), "49.2512562814");
  EXPECT_EQ(with_significant_digits("1e+00", 3), "1.00");
  EXPECT_EQ(with_significant_digits("0", 6), "0");
  EXPECT_EQ(with_significant_digits("9.995e-01", 3), "1.00");  // 9.995 rounds to even: 10.00
  EXPECT_EQ(with_significant_digits("9.985e-01", 3), "0.998");
  EXPECT_EQ(with_significant_digits("1.2345e-04", 3), "0.000123");
  EXPECT_EQ(with_significant_digits("1.2345e-05", 3), "1.23e-05");
  EXPECT_EQ(with_significant_digits("1.2345e+02", 3), "123");
  EXPECT_EQ(with_significant_digits("9.999e+02", 3), "1.00e+03");
  EXPECT_EQ(with_significant_digits("1.2345e+300", 3), "1.23e+300");
  EXPECT_EQ(with_significant_digits("1.5e+01", 1), "2e+01");
}

TEST(DecimalText, OtherShapesAreDefects) {
  for (const char* text : {"", "1", "abc", "e5", "1.5e", "0.5e+00", "-1.5e+00", "1.5e+x", "nan"}) {
    EXPECT_THROW(static_cast<void>(with_decimals(text, 6)), std::logic_error) << text;
  }
}

}  // namespace
}  // namespace normcert
