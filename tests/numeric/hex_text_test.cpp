#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "numeric/decimal.hpp"
#include "numeric/hand_layout.hpp"

namespace normcert {
namespace {

TEST(HexText, ByHand) {
  EXPECT_EQ(hex_text(code_of(1.0)), "0x1p+0");
  EXPECT_EQ(hex_text(code_of(-1.5)), "-0x1.8p+0");
  EXPECT_EQ(hex_text(code_of(3.0)), "0x1.8p+1");
  EXPECT_EQ(hex_text(code_of(0.1)), "0x1.999999999999ap-4");
  EXPECT_EQ(hex_text(code_of(0.0)), "0x0p+0");
  EXPECT_EQ(hex_text(code_of(-0.0)), "-0x0p+0");
  EXPECT_EQ(hex_text(code_of(0x1p-1074)), "0x1p-1074");
  EXPECT_EQ(hex_text(code_of(0x1.8p-1073)), "0x1.8p-1073");
  EXPECT_EQ(hex_text(infinity_of(kFp32, true)), "-inf");
  EXPECT_EQ(hex_text(infinity_of(kFp16, false)), "inf");
  EXPECT_EQ(hex_text(nan_of(kFp8E4m3fn)), "nan");
  EXPECT_EQ(hex_text(max_finite_of(kFp16, false)), "0x1.ffcp+15");
}

TEST(HexText, EveryCodeReadsBack) {
  std::uint64_t cases = 0;
  for (const FloatFormat* format : small_formats()) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << format->code_bits; ++bits) {
      const Code code{bits, format};
      const std::string text = hex_text(code);
      const auto back = read_code(text, *format);
      ASSERT_TRUE(back) << text;
      ASSERT_TRUE(same_bits(*back, code)) << text;
      if (is_finite(code)) {
        ASSERT_EQ(std::strtod(text.c_str(), nullptr), to_binary64(code)) << text;
        ASSERT_TRUE(text.find("0p") == std::string::npos || code.magnitude() == 0 ||
                    text.find('.') == std::string::npos)
            << "a trailing zero in " << text;
      }
      ++cases;
    }
  }
  EXPECT_EQ(cases, 2 * 256U + 2 * 65536);
}

}  // namespace
}  // namespace normcert
