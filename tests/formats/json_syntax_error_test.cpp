// What is said about text that is not JSON, word for word.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "formats/json_text.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

using namespace std::string_literals;

struct Malformed {
  std::string text;
  std::string message;  // behind "f.json: "
};

std::string message_about(const std::string& text) {
  return thrown_message([&] { (void)JsonDocument::parse("f.json", text); });
}

void expect_messages(const std::vector<Malformed>& table) {
  for (const auto& [text, message] : table) {
    EXPECT_EQ(message_about(text), "f.json: " + message) << text;
  }
}

TEST(JsonSyntaxError, NothingThere) {
  expect_messages({
      {"", "found an empty file, expected JSON text"},
      {" \r\n\t", "found nothing but white space, expected JSON text"},
      {"\xEF\xBB\xBF", "found nothing but white space, expected JSON text"},
  });
}

TEST(JsonSyntaxError, SomethingElseThanJson) {
  expect_messages({
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
       "found a Git LFS pointer, expected JSON text (run git lfs pull)"},
      {"\n<!DOCTYPE html><html>",
       "found an HTML page, expected JSON text (a web page was saved in place of the file)"},
      {"\xFF\xFE{\0}\0"s, "found a text in UTF-16, expected JSON text (save it as UTF-8)"},
      {"GGUF\3\0\0\0"s, "found a GGUF file, expected JSON text"},
      {"hello", R"(line 1, column 1 (byte 0): found "hello", expected a JSON value)"},
      {"\0"s, "line 1, column 1 (byte 0): found the byte 0x00, expected a JSON value"},
      {"\xEF\xBB{}",
       "line 1, column 2 (byte 2): found the bytes 0xEF 0xBB 0x7B, expected JSON text"},
  });
}

TEST(JsonSyntaxError, Truncated) {
  expect_messages({
      {"{",
       "line 1, column 2 (byte 1): found the end of the text, expected a member name in double "
       "quotes"},
      {"[", "line 1, column 2 (byte 1): found the end of the text, expected a JSON value"},
      {"[1", R"(line 1, column 3 (byte 2): found the end of the text, expected "," or "]")"},
      {"[1,", "line 1, column 4 (byte 3): found the end of the text, expected a JSON value"},
      {"{\"a\"",
       R"(line 1, column 5 (byte 4): found the end of the text, expected ":" and a value)"},
      {"{\"a\":\n", "line 2, column 1 (byte 6): found the end of the text, expected a JSON value"},
      {"{\"a\":1", R"(line 1, column 7 (byte 6): found the end of the text, expected "," or "}")"},
      {"[\"abc",
       "line 1, column 2 (byte 1): found a string that does not end, expected a closing "
       "'\"'"},
      {"[\"a\\",
       "line 1, column 5 (byte 4): found the end of the text, expected one of "
       R"(\" \\ \/ \b \f \n \r \t \uXXXX)"},
      {"[\"\xE2\x82",
       "line 1, column 4 (byte 4): found the end of the text, expected text in UTF-8"},
      {"[1e",
       "line 1, column 4 (byte 3): found the end of the text, expected digits after the "
       "exponent mark"},
  });
}

TEST(JsonSyntaxError, TokensInTheWrongPlace) {
  expect_messages({
      {"[1,]", R"(line 1, column 4 (byte 3): found "]", expected a JSON value (no comma before a )"
               "bracket)"},
      {"{\"a\":1, }", R"(line 1, column 9 (byte 8): found "}", expected a member name in double )"
                      "quotes (no comma before a bracket)"},
      {"{\"a\" 1}", R"(line 1, column 6 (byte 5): found "1", expected ":" and a value)"},
      {"{1:2}", R"(line 1, column 2 (byte 1): found "1", expected a member name in double quotes)"},
      {"{a:1}", R"(line 1, column 2 (byte 1): found "a", expected a member name in double quotes)"},
      {"[1 2]", R"(line 1, column 4 (byte 3): found "2", expected "," or "]")"},
      {"[1,,2]", R"(line 1, column 4 (byte 3): found ",", expected a JSON value)"},
      {"[\"a\" \"b\\\"\"]", R"(line 1, column 6 (byte 5): found "b\"", expected "," or "]")"},
      {"{\"a\":1 \"b\":2}", R"(line 1, column 8 (byte 7): found "b", expected "," or "}")"},
      {"[1:2]", R"(line 1, column 3 (byte 2): found ":", expected "," or "]")"},
      {"{\"cases\": [{\"id\": \"a\",\n \"x\": [1, 2}]}",
       R"(cases[0].x, line 2, column 12 (byte 34): found "}", expected "," or "]")"},
      {"]", R"(line 1, column 1 (byte 0): found "]", expected a JSON value)"},
  });
}

TEST(JsonSyntaxError, MoreBehindTheEnd) {
  expect_messages({
      {"{}\n x", R"(line 2, column 2 (byte 4): found "x", expected nothing more)"},
      {"{}{}", R"(line 1, column 3 (byte 2): found "{", expected nothing more)"},
      {"1 2", R"(line 1, column 3 (byte 2): found "2", expected nothing more)"},
      {"{}\0"s, "line 1, column 3 (byte 2): found the byte 0x00, expected nothing more"},
      {"[1]\n\0[2]"s, "line 2, column 1 (byte 4): found the byte 0x00, expected nothing more"},
  });
}

TEST(JsonSyntaxError, WordsOfOtherLanguages) {
  expect_messages({
      {"[NaN]", R"(line 1, column 2 (byte 1): found "NaN", expected a JSON value (not a number is )"
                R"(written "nan", in quotes))"},
      {"[-Infinity]", R"(line 1, column 2 (byte 1): found "-Infinity", expected a JSON value )"
                      R"((infinities are written "inf" and "-inf", in quotes))"},
      {"[True]", R"(line 1, column 2 (byte 1): found "True", expected true)"},
      {"{\"x\": None}", R"(line 1, column 7 (byte 6): found "None", expected null)"},
      {"[tru]", R"(line 1, column 2 (byte 1): found "tru", expected a JSON value)"},
      {"['a']",
       R"(line 1, column 2 (byte 1): found "'a'", expected a JSON value (strings stand in )"
       "double quotes)"},
      {"// c\n{}", R"(line 1, column 1 (byte 0): found "//", expected a JSON value (JSON has no )"
                   "comments)"},
      {"{} # c",
       R"(line 1, column 4 (byte 3): found "#", expected nothing more (JSON has no comments))"},
  });
}

TEST(JsonSyntaxError, Numbers) {
  expect_messages({
      {"[1.]",
       R"(line 1, column 2 (byte 1): found "1.", expected a digit after the decimal point)"},
      {"[-]", R"(line 1, column 2 (byte 1): found "-", expected a digit after the minus sign)"},
      {"[2e]", R"(line 1, column 2 (byte 1): found "2e", expected digits after the exponent mark)"},
      {"[2e+]",
       R"(line 1, column 2 (byte 1): found "2e+", expected digits after the exponent sign)"},
      {"[01]",
       R"(line 1, column 3 (byte 2): found "1", expected "," or "]" (no zero leads a number))"},
      {"[+1]",
       R"(line 1, column 2 (byte 1): found "+1", expected a JSON value (a number begins with )"
       "a digit or a minus sign)"},
      {"[.5]",
       R"(line 1, column 2 (byte 1): found ".5", expected a JSON value (a number begins with )"
       "a digit or a minus sign)"},
      {"[0x10]", R"(line 1, column 3 (byte 2): found "x10", expected "," or "]" (a hexadecimal )"
                 "number stands in double quotes)"},
      {"[1.5-2]", R"(line 1, column 5 (byte 4): found "-2", expected "," or "]")"},
      {"[12-3]", R"(line 1, column 4 (byte 3): found "-3", expected "," or "]")"},
  });
}

TEST(JsonSyntaxError, InsideOfStrings) {
  const std::string control =
      "expected an escape (\\n, \\t, \\u0000 to \\u001F) for a control character";
  const std::string pairs = "expected surrogates in pairs (\\uD800-\\uDBFF, then \\uDC00-\\uDFFF)";
  expect_messages({
      {"[\"a\nb\"]", "line 1, column 4 (byte 3): found the byte 0x0A, " + control},
      {"[\"a\0b\"]"s, "line 1, column 4 (byte 3): found the byte 0x00, " + control},
      {"[\"\\x41\"]", R"(line 1, column 3 (byte 2): found "\x", expected one of )"
                      R"(\" \\ \/ \b \f \n \r \t \uXXXX)"},
      {"[\"\\u12g4\"]", R"(line 1, column 3 (byte 2): found "\u12g", expected four hexadecimal )"
                        R"(digits after \u)"},
      {"[\"\\ud800\"]", R"(line 1, column 3 (byte 2): found "\ud800", )" + pairs},
      {"[\"\\udc00\"]", R"(line 1, column 3 (byte 2): found "\udc00", )" + pairs},
      {"[\"\\ud800\\u0041\"]", R"(line 1, column 9 (byte 8): found "\u0041", )" + pairs},
  });
}

TEST(JsonSyntaxError, InvalidUtf8) {
  const std::string utf8 = ", expected text in UTF-8";
  expect_messages({
      {"[\"\xFF\"]", "line 1, column 3 (byte 2): found the byte 0xFF" + utf8},
      {"[\"\xC3\"]", "line 1, column 4 (byte 3): found the bytes 0xC3 0x22" + utf8},
      {"[\"\xC3\xA9\x80\"]", "line 1, column 4 (byte 4): found the byte 0x80" + utf8},
      {"[\"\xED\xA0\x80\"]", "line 1, column 4 (byte 3): found the bytes 0xED 0xA0" + utf8},
      {"[\"\xC0\xAF\"]", "line 1, column 3 (byte 2): found the byte 0xC0" + utf8},
      {"[\"\xF0\x9F\x98(\"]",
       "line 1, column 4 (byte 5): found the bytes 0xF0 0x9F 0x98 0x28" + utf8},
      {"{\"\xFF\": 1}", "line 1, column 3 (byte 2): found the byte 0xFF" + utf8},
      {"[\xFF]", R"(line 1, column 2 (byte 1): found "\xFF", expected a JSON value)"},
      {"[\x80]", R"(line 1, column 2 (byte 1): found the byte 0x80, expected a JSON value)"},
      {"[\xE2\x82\xAC]",
       "line 1, column 2 (byte 1): found \"\xE2\x82\xAC\", expected a JSON value"},
  });
}

TEST(JsonSyntaxError, ControlCharactersAreNeverShown) {
  expect_messages({
      {"[1, \x1b[31m]", "line 1, column 5 (byte 4): found the byte 0x1B, expected a JSON value"},
      {"[a\x1b[31m]", R"(line 1, column 2 (byte 1): found "a\x1B", expected a JSON value)"},
      {"[1 \"\xE2\x80\xAE\"]",
       R"(line 1, column 4 (byte 3): found "\u{202E}", expected "," or "]")"},
  });
}

TEST(JsonSyntaxError, StaysShort) {
  const std::string long_word(1'000'000, 'w');
  EXPECT_LT(message_about("[" + long_word).size(), 300U);
  EXPECT_LT(message_about("[1 \"" + long_word + "\"]").size(), 300U);
  EXPECT_LT(message_about("[\"" + long_word).size(), 300U);
  EXPECT_LT(message_about("[" + std::string(1'000'000, '1') + ".]").size(), 300U);
}

}  // namespace
}  // namespace normcert
