// read_number: which texts are numbers, and their exact values.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "numeric/decimal.hpp"

namespace normcert {
namespace {

TEST(ReadNumber, IsExact) {
  const auto value = [](std::string_view text, const BigDyadic& numerator, int denominator) {
    const auto number = read_number(text);
    ASSERT_TRUE(number) << text;
    const BigDyadic scaled = number->numerator * BigDyadic(static_cast<double>(denominator));
    EXPECT_EQ(compare(scaled, numerator * number->denominator), 0) << text;
  };
  value("0.1", BigDyadic(1.0), 10);
  value("12.50", BigDyadic(25.0), 2);
  value("1e-3", BigDyadic(1.0), 1000);
  value("25e3", BigDyadic(25000.0), 1);
  value("0x1.8p-3", BigDyadic(3.0), 16);
  value("0x10", BigDyadic(16.0), 1);
  value("000.00", BigDyadic(), 1);
  EXPECT_TRUE(read_number("-0")->negative);
  EXPECT_TRUE(read_number("-1.5")->negative);
  EXPECT_FALSE(read_number("+1.5")->negative);
  EXPECT_GT(read_number("-1.5")->numerator.sign(), 0);
}

TEST(ReadNumber, HalfAUnitOfTheLastDigit) {
  const auto half_unit = [](std::string_view text, int numerator, int denominator) {
    const auto number = read_number(text);
    ASSERT_TRUE(number) << text;
    const BigDyadic scaled = number->half_unit * BigDyadic(static_cast<double>(denominator));
    EXPECT_EQ(compare(scaled, BigDyadic(static_cast<double>(numerator)) * number->denominator), 0)
        << text;
  };
  half_unit("0.1", 1, 20);
  half_unit("0.1000", 1, 20000);
  half_unit("1", 1, 2);
  half_unit("1e3", 500, 1);
  half_unit("1.25e2", 1, 2);
  half_unit("-2.5e-1", 1, 200);
  half_unit("0", 1, 2);
  half_unit("0x1.8p3", 0, 1);
}

TEST(ReadNumber, RefusesEverythingElse) {
  std::vector<std::string> texts{
      "",         " ",   "+",      "-",    ".",     "+.",    "e",       "e5",    ".e5",
      "1e",       "1e+", "1e-",    "1e5.", "1e5.0", "1.2.3", "1..2",    "--1",   "+-1",
      "- 1",      " 1",  "1 ",     "1\n",  "\t1",   "1,5",   "1_000",   "1f",    "1.0f",
      "1d0",      "1L",  "0x",     "0x.",  "0xp3",  "0x.p3", "0x1p",    "0x1p+", "0x1p1.0",
      "0x1.8e3g", "x1",  "0y1",    "1x0",  "0b101", "1e5e5", "0x1p3p3", "0xg",   "1p3",
      "infx",     "in",  "nan(1)", "nanx", "1/3",   "1+1",   "∞",       "１",    "1e１",
      "0x1p0x3",  "()",  "null",   "true", "\"1\""};
  texts.emplace_back("1\0", 2);
  texts.emplace_back("\0001", 2);
  texts.emplace_back("1\xff");
  texts.push_back(std::string(20001, '1'));
  texts.push_back("0." + std::string(20000, '0'));
  for (const std::string& text : texts) {
    EXPECT_FALSE(read_number(text)) << text;
    EXPECT_FALSE(read_code(text, kFp32)) << text;
  }
  EXPECT_EQ(texts.size(), 64U);
  for (const char* text : {"inf", "nan", "-infinity"}) EXPECT_FALSE(read_number(text)) << text;
}

TEST(ReadNumber, LimitsOfHostileTexts) {
  EXPECT_TRUE(read_number("1e20000"));
  EXPECT_TRUE(read_number("1e-20000"));
  EXPECT_TRUE(read_number("0x1p20000"));
  EXPECT_TRUE(read_number("0x1p-20000"));
  for (const char* text :
       {"1e20001", "1e-20001", "0x1p20001", "0x1p-20001", "0e20001", "1e99999999999999999999",
        "1e-99999999999999999999", "1e9223372036854775807", "1e-9223372036854775808",
        "1e18446744073709551616" /* 2^64 */}) {
    EXPECT_FALSE(read_number(text)) << text;
  }
  EXPECT_TRUE(read_number(std::string(20000, '9')));
  EXPECT_TRUE(read_number("." + std::string(19999, '9')));
  EXPECT_TRUE(read_number("0x" + std::string(19998, 'f')));
}

}  // namespace
}  // namespace normcert
