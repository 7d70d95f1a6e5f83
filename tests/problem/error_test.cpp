#include "problem/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "problem/utf8_oracle.hpp"

namespace normcert {
namespace {

TEST(Describe, NamesFilePlaceFoundExpectedNearest) {
  EXPECT_EQ(
      describe({.code = "unknown_dtype",
                .file = "cases.json",
                .place = "cases[3].dtype, line 12",
                .found = "\"bf61\"",
                .expected = "one of fp64, fp32, bf16, fp16",
                .nearest = "bf16"}),
      "cases.json: cases[3].dtype, line 12: found \"bf61\", expected one of fp64, fp32, bf16, "
      "fp16 (did you mean \"bf16\"?)");
}

TEST(Describe, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(describe({.code = "",
                      .file = "",
                      .place = "--epsilon",
                      .found = "1e-",
                      .expected = "a number",
                      .nearest = ""}),
            "--epsilon: found 1e-, expected a number");
  EXPECT_EQ(describe({.code = "",
                      .file = "x.npz",
                      .place = "",
                      .found = "",
                      .expected = "a tensor x",
                      .nearest = ""}),
            "x.npz: expected a tensor x");
  EXPECT_EQ(describe({.code = "",
                      .file = "x.npz",
                      .place = "byte 8",
                      .found = "a zip archive",
                      .expected = "",
                      .nearest = ""}),
            "x.npz: byte 8: found a zip archive");
}

TEST(Describe, EscapesEveryPart) {
  const std::string hostile = "\x1b[31m\n\xff";
  EXPECT_EQ(
      describe({.code = "",
                .file = hostile,
                .place = hostile,
                .found = hostile,
                .expected = hostile,
                .nearest = hostile}),
      R"(\x1B[31m\x0A\xFF: \x1B[31m\x0A\xFF: found \x1B[31m\x0A\xFF, expected \x1B[31m\x0A\xFF)"
      R"( (did you mean "\x1B[31m\x0A\xFF"?))");
}

TEST(InputError, CarriesItsPartsAndTheirDescription) {
  const ErrorParts parts{.code = "empty",
                         .file = "a.json",
                         .place = "x",
                         .found = "[]",
                         .expected = "rows",
                         .nearest = ""};
  const InputError error(parts);
  EXPECT_EQ(error.parts().code, "empty");
  EXPECT_EQ(error.parts().file, "a.json");
  EXPECT_EQ(error.parts().found, "[]");
  EXPECT_STREQ(error.what(), "a.json: x: found [], expected rows");
}

struct Shown {
  std::string_view text;
  std::string_view shown;
};

TEST(Printable, KeepsPrintableUtf8) {
  for (const std::string_view text :
       {"", "plain \\ \"text\"", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF",
        "\xEE\x80\x80", "\xF4\x8F\xBF\xBF", "\xC2\xA0", "~"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  using namespace std::string_view_literals;
  const std::array<Shown, 13> table = {{
      {"a\0b"sv, R"(a\x00b)"},
      {"\t\n\r", R"(\x09\x0A\x0D)"},
      {"\x1F\x7F", R"(\x1F\x7F)"},
      {"\xC2\x80", R"(\u{0080})"},      // first of C1
      {"\xC2\x9F", R"(\u{009F})"},      // last of C1
      {"\xD8\x9C", R"(\u{061C})"},      // Arabic letter mark
      {"\xE2\x80\x8B", R"(\u{200B})"},  // zero width space
      {"\xE2\x80\x8F", R"(\u{200F})"},  // right-to-left mark
      {"\xE2\x80\xA8", R"(\u{2028})"},  // line separator
      {"\xE2\x80\xAE", R"(\u{202E})"},  // right-to-left override
      {"\xE2\x81\xA9", R"(\u{2069})"},  // pop directional isolate
      {"\xEF\xBB\xBF", R"(\u{FEFF})"},
      {"\xF3\xA0\x80\x81", R"(\u{E0001})"},  // a tag character
  }};
  for (const auto& [text, shown] : table) EXPECT_EQ(printable(text), shown);
}

TEST(Printable, EscapesEachByteOfInvalidUtf8) {
  const std::array<Shown, 12> table = {{
      {"\x80", R"(\x80)"},                          // continuation without lead
      {"\xC3", R"(\xC3)"},                          // truncated
      {"\xC3(", R"(\xC3()"},                        // not continued
      {"\xE2\x82", R"(\xE2\x82)"},                  // truncated
      {"\xC0\xAF", R"(\xC0\xAF)"},                  // overlong '/'
      {"\xE0\x80\xAF", R"(\xE0\x80\xAF)"},          // overlong
      {"\xF0\x80\x80\xAF", R"(\xF0\x80\x80\xAF)"},  // overlong
      {"\xED\xA0\x80", R"(\xED\xA0\x80)"},          // surrogate
      {"\xF4\x90\x80\x80", R"(\xF4\x90\x80\x80)"},  // above U+10FFFF
      {"\xF5\x80\x80\x80", R"(\xF5\x80\x80\x80)"},
      {"\xFF\xFE", R"(\xFF\xFE)"},
      {"\xC3\xA9\xA9", "\xC3\xA9\\xA9"},
  }};
  for (const auto& [text, shown] : table) EXPECT_EQ(printable(text), shown);
}

TEST(Printable, CutsBetweenCharactersAndEscapes) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 5), "abcde...");
  EXPECT_EQ(printable("ab\xE2\x82\xAC", 5), "ab\xE2\x82\xAC");
  EXPECT_EQ(printable("ab\xE2\x82\xAC", 4), "ab...");
  EXPECT_EQ(printable("ab\n", 5), "ab...");
  EXPECT_EQ(printable("a", 0), "...");
  EXPECT_EQ(printable("", 0), "");
  EXPECT_EQ(printable(std::string(300, 'a')), std::string(200, 'a') + "...");
}

// Against the C library's converter: all sequences of up to three bytes from the table of critical
// bytes, then random ones.
TEST(Printable, IsUtf8AndStableForEveryInput) {
  const std::string critical(
      "\x00\x1F\x41\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC"
      "\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF",
      26);
  std::size_t checked = 0;
  const auto check = [&](const std::string& text) {
    const std::string shown = printable(text, 10000);
    ASSERT_TRUE(is_utf8(shown)) << shown;
    ASSERT_EQ(printable(shown, 10000), shown);
    // Nothing valid is escaped as bytes, nothing invalid stays.
    if (is_utf8(text)) {
      ASSERT_EQ(shown.find("\\x8"), std::string::npos) << shown;
    } else {
      ASSERT_NE(shown, text);
    }
    ++checked;
  };
  for (const char a : critical) {
    check({a});
    for (const char b : critical) {
      check({a, b});
      for (const char c : critical) {
        check({a, b, c});
        check({'\xF0', a, b, c});
        check({'\xF4', a, b, c});
      }
    }
  }
  std::mt19937 random(20240607);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random());
    check(text);
  }
  EXPECT_EQ(checked, 26U + 26 * 26 + 3 * 26 * 26 * 26 + 20000);
}

}  // namespace
}  // namespace normcert
