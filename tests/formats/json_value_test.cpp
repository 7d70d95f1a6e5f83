// Scalars of JSON text as C++ values.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

#include "formats/json_text.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

JsonDocument parse(std::string_view text) {
  return JsonDocument::parse("f.json", std::string(text));
}

TEST(JsonValue, ReadsStringsDecoded) {
  EXPECT_EQ(parse(R"("")").root().as_string(), "");
  EXPECT_EQ(parse(R"("\"\\\/\b\f\n\r\t")").root().as_string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(parse(R"("a\u0000b")").root().as_string(), std::string("a\0b", 3));
  EXPECT_EQ(parse(R"("\uD83D\uDE00 \u20ac")").root().as_string(), "\xF0\x9F\x98\x80 \xE2\x82\xAC");
  EXPECT_EQ(parse(R"(["\\", "x"])").root().item(1).as_string(), "x");
  EXPECT_EQ(parse("\"\x7F\"").root().as_string(), "\x7F");
}

TEST(JsonValue, ReadsBooleansAndNull) {
  const JsonDocument document = parse("[true, false, null]");
  EXPECT_TRUE(document.root().item(0).as_bool());
  EXPECT_FALSE(document.root().item(1).as_bool());
  EXPECT_TRUE(document.root().item(2).is_null());
  EXPECT_EQ(document.root().item(2).token(), "null");
}

TEST(JsonValue, ReadsIntegersInARange) {
  EXPECT_EQ(parse("12").root().as_integer(0, 12), 12);
  EXPECT_EQ(parse("-0").root().as_integer(0, 12), 0);
  EXPECT_EQ(parse("-9223372036854775808").root().as_integer(kMin, kMax), kMin);
  EXPECT_EQ(parse("9223372036854775807").root().as_integer(kMin, kMax), kMax);
  const auto refused = [](std::string_view text) {
    const JsonDocument document = parse(text);
    return thrown_message([&] { (void)document.root().as_integer(-1, 12); });
  };
  const auto message = [](const std::string& found) {
    return "f.json: line 1: found " + found + ", expected an integer from -1 to 12";
  };
  for (const char* text : {"13", "-2", "9223372036854775808", "18446744073709551616", "1.0", "1e1",
                           "-9223372036854775809", "\"1\"", "null", "true"}) {
    EXPECT_EQ(refused(text), message(text));
  }
  EXPECT_EQ(refused("[1]"), message("an array of 1"));
  EXPECT_EQ(refused("{}"), message("{}"));
  const JsonDocument negative = parse("-3");
  EXPECT_EQ(thrown_message([&] { (void)negative.root().as_integer(0, kMax); }),
            "f.json: line 1: found -3, expected an integer of at least 0");
}

TEST(JsonValue, RefusesAnotherKind) {
  const JsonDocument document = parse(R"({"n": 1, "s": "a", "l": [], "b": false})");
  const JsonNode root = document.root();
  const JsonNode n = root.required("n");
  EXPECT_EQ(thrown_message([&] { (void)n.as_string(); }),
            "f.json: n, line 1: found 1, expected a string");
  EXPECT_EQ(thrown_message([&] { (void)n.as_bool(); }),
            "f.json: n, line 1: found 1, expected true or false");
  EXPECT_EQ(thrown_message([&] { (void)root.required("s").as_double(); }),
            "f.json: s, line 1: found \"a\", expected a number");
  EXPECT_EQ(thrown_message([&] { (void)root.required("l").as_double(); }),
            "f.json: l, line 1: found [], expected a number");
  EXPECT_EQ(thrown_message([&] { (void)n.items(); }),
            "f.json: n, line 1: found 1, expected an array");
  EXPECT_EQ(thrown_message([&] { (void)n.item(0); }),
            "f.json: n, line 1: found 1, expected an array");
  EXPECT_EQ(thrown_message([&] { (void)n.members(); }),
            "f.json: n, line 1: found 1, expected an object");
  EXPECT_EQ(thrown_message([&] { (void)n.size(); }),
            "f.json: n, line 1: found 1, expected an array or an object");
  EXPECT_EQ(thrown_message([&] { (void)root.token(); }),
            "f.json: line 1: found an object, expected a number, a string, true, false or null");
  EXPECT_EQ(thrown_message([&] { root.required("l").reject_unknown_members({"a"}); }),
            "f.json: l, line 1: found [], expected an object");
}

TEST(JsonValue, CutsLongValuesInMessages) {
  const JsonDocument document = parse('"' + std::string(1'000'000, 'a') + '"');
  EXPECT_LT(thrown_message([&] { (void)document.root().as_bool(); }).size(), 300U);
}

// glibc's strtod rounds correctly in every mode and is a second reader; the tests run in the C
// locale.
double oracle(const std::string& token) { return std::strtod(token.c_str(), nullptr); }

void expect_as_oracle(const std::string& token) {
  const JsonDocument document = parse(token);
  EXPECT_EQ(document.root().token(), token);
  const double expected = oracle(token);
  if (std::isinf(expected)) {
    EXPECT_EQ(thrown_message([&] { (void)document.root().as_double(); }),
              "f.json: line 1: found " + printable(token) +
                  ", expected a number below 1.8e308 (binary64)");
    return;
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(document.root().as_double()),
            std::bit_cast<std::uint64_t>(expected))
      << token;
}

TEST(JsonValue, ReadsNumbersCorrectlyRounded) {
  for (const char* token : {"0",
                            "-0",
                            "-0.0",
                            "0e9",
                            "-0e-999999999999999999999",
                            "0E+99999999999999999999",
                            "1e-6",
                            "0.000001",
                            "1E5",
                            "1e+5",
                            "123456789012345678901234567890",
                            "0.1",
                            "9007199254740993",
                            "9007199254740992.999999999999999999999",
                            "9007199254740993.00000000000000000001",
                            "2.2250738585072011e-308",
                            "2.2250738585072012e-308",
                            "2.2250738585072014e-308",
                            "4.9e-324",
                            "2.5e-324",
                            "2.4703282292062328e-324",
                            "2.4703282292062327e-324",
                            "2.4e-324",
                            "-2.4e-324",
                            "1e-400",
                            "-1e-999999",
                            "1e-99999999999999999999",
                            "1.7976931348623157e308",
                            "1.7976931348623158e308",
                            "1.7976931348623159e308",
                            "-1.7976931348623159e308",
                            "1.8e308",
                            "1e999999",
                            "-1e999999",
                            "1e99999999999999999999",
                            "0.0001e312",
                            "0.00001e312",
                            "1000000e303"}) {
    expect_as_oracle(token);
  }
  expect_as_oracle(std::string(308, '1'));
  expect_as_oracle(std::string(400, '1'));
  expect_as_oracle(std::string(400, '1') + "e-200");
  expect_as_oracle("0." + std::string(330, '0') + "1");
  expect_as_oracle("0." + std::string(330, '0') + "1e100");
  expect_as_oracle("0." + std::string(5000, '0') + "1e5001");
}

TEST(JsonValue, ReadsRandomNumbersAsTheOracle) {
  std::mt19937_64 random(7);
  int checked = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string token = random() % 2 == 0 ? "-" : "";
    token += static_cast<char>('1' + random() % 9);
    for (auto digits = random() % 20; digits > 0; --digits) {
      token += static_cast<char>('0' + random() % 10);
    }
    token += "." + std::to_string(random() % 100000);
    token += "e" + std::to_string(static_cast<int>(random() % 700) - 350);
    expect_as_oracle(token);
    ++checked;
  }
  EXPECT_EQ(checked, 20000);
}

TEST(JsonValue, ReadsAMillionNumbers) {
  std::string text = "[";
  for (int i = 0; i < 1'000'000; ++i) text += std::to_string(i % 10) + ',';
  text += "-0]";
  const JsonDocument document = parse(text);
  ASSERT_EQ(document.root().size(), 1'000'001U);
  EXPECT_EQ(document.root().item(999'999).as_integer(0, 9), 9);
  EXPECT_TRUE(std::signbit(document.root().item(1'000'000).as_double()));
  EXPECT_EQ(document.root().item(1'000'000).path(), "[1000000]");
}

}  // namespace
}  // namespace normcert
