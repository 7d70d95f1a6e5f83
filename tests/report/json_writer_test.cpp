#include "report/json_writer.hpp"

#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace normcert {
namespace {

using nlohmann::ordered_json;

std::string one_line(const ordered_json& value) {
  std::string text = json_text(value);
  EXPECT_TRUE(text.ends_with('\n'));
  text.pop_back();
  return text;
}

TEST(JsonWriter, Scalars) {
  EXPECT_EQ(one_line(nullptr), "null");
  EXPECT_EQ(one_line(true), "true");
  EXPECT_EQ(one_line(-7), "-7");
  EXPECT_EQ(one_line(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(one_line(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(one_line("a\"b\\c/d"), R"("a\"b\\c/d")");
}

TEST(JsonWriter, NumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(one_line(1e-6), "1e-06");
  EXPECT_EQ(one_line(0.1), "0.1");
  EXPECT_EQ(one_line(100.0), "100");
  EXPECT_EQ(one_line(-0.0), "-0");
  EXPECT_EQ(one_line(5e-324), "5e-324");
  EXPECT_EQ(one_line(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(one_line(9007199254740993.0), "9007199254740992");
  // Grisu2, which nlohmann's own dump() uses, writes 17 digits too many here.
  EXPECT_EQ(one_line(5e-324 * 3), "1.5e-323");
  EXPECT_EQ(one_line(9.5e-322), "9.5e-322");
}

TEST(JsonWriter, EveryDoubleReadsBack) {
  rc::check([](std::uint64_t bits) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    const std::string text = one_line(value);
    if (!std::isfinite(value)) {
      RC_ASSERT(text == (std::isnan(value) ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\""));
      return;
    }
    RC_ASSERT(ordered_json::parse(text).get<double>() == value);
    RC_ASSERT(text.size() <= 24U);
  });
}

TEST(JsonWriter, NonFiniteNumbersAreStrings) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(one_line({std::nan(""), -std::nan(""), infinity, -infinity}),
            R"(["nan", "nan", "inf", "-inf"])");
}

TEST(JsonWriter, KeysStayInOrder) {
  ordered_json value;
  value["z"] = 1;
  value["a"] = ordered_json::object();
  value["m"] = ordered_json::array();
  EXPECT_EQ(one_line(value), R"({"z": 1, "a": {}, "m": []})");
}

TEST(JsonWriter, LongOrNestedContainersTakeSeveralLines) {
  const ordered_json value = {{"rows", {{{"q", 1}, {"a", 2}}, {{"q", 3}, {"a", 4}}}},
                              {"text", "x"}};
  EXPECT_EQ(json_text(value),
            "{\n"
            "  \"rows\": [\n"
            "    {\"q\": 1, \"a\": 2},\n"
            "    {\"q\": 3, \"a\": 4}\n"
            "  ],\n"
            "  \"text\": \"x\"\n"
            "}\n");
  // "[" + text + "]" of exactly 100 characters stays, one more does not.
  const ordered_json fits = {std::string(96, 'x')};
  EXPECT_EQ(json_text(fits).size(), 101U);
  const ordered_json too_long = {std::string(97, 'x')};
  EXPECT_EQ(json_text(too_long), "[\n  \"" + std::string(97, 'x') + "\"\n]\n");
}

TEST(JsonWriter, TextIsEscapedAndValidUtf8) {
  EXPECT_EQ(one_line("\n\t\r"), R"("\n\t\r")");
  EXPECT_EQ(one_line(std::string("\x1b\x7f\0", 3)), R"("\u001b\u007f\u0000")");
  EXPECT_EQ(one_line("é 数 𝛆"), "\"é 数 𝛆\"");
  EXPECT_EQ(one_line("\xe2\x80\xae"), R"("\u202e")");            // reorders what follows
  EXPECT_EQ(one_line("\xf3\xa0\x80\x81"), R"("\udb40\udc01")");  // U+E0001
  EXPECT_EQ(one_line("a\xff\xc3"), R"("a\\xff\\xc3")");          // no UTF-8
  EXPECT_EQ(one_line("\xed\xa0\x80"), R"("\\xed\\xa0\\x80")");   // a surrogate is none either
  ordered_json key;
  key["\x1b\xff"] = 1;
  EXPECT_EQ(one_line(key), R"({"\u001b\\xff": 1})");
}

TEST(JsonWriter, ReadsBackToTheSameValue) {
  rc::check([](const std::vector<std::string>& texts, const std::vector<double>& numbers) {
    ordered_json value;
    value["numbers"] = numbers;
    value["texts"] = ordered_json::array();
    for (const std::string& text : texts) {
      std::string ascii = text;
      for (char& c : ascii) c = static_cast<char>(c & 0x7F);
      value["texts"].push_back(ascii);
    }
    RC_ASSERT(ordered_json::parse(json_text(value)) == value);
  });
}

}  // namespace
}  // namespace normcert
