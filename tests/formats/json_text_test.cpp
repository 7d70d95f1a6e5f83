// Structure, places and lookups. Values are in json_value_test.cpp, errors in syntax in
// json_syntax_error_test.cpp.
#include "formats/json_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

constexpr std::string_view kCases = R"({
  "schema": "normcert/cases/1",
  "cases": [
    {"id": "first", "x": [[1, -0, 1e-6], []], "epsilon": 0.000001},
    {"id": "sec\u006fnd", "odd name": {"a\"b": true, "": null}, "é": "€"}
  ]
}
)";

JsonDocument parse(std::string_view text) {
  return JsonDocument::parse("f.json", std::string(text));
}

TEST(JsonText, KeepsMembersInOrderAndTokensAsWritten) {
  const JsonDocument document = parse(kCases);
  const JsonNode root = document.root();
  ASSERT_TRUE(root.is_object());
  ASSERT_EQ(root.size(), 2U);
  EXPECT_EQ(root.members()[0].name, "schema");
  EXPECT_EQ(root.members()[1].name, "cases");
  const std::vector<JsonNode> cases = root.required("cases").items();
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].required("epsilon").token(), "0.000001");
  const JsonNode row = cases[0].required("x").item(0);
  ASSERT_EQ(row.size(), 3U);
  EXPECT_EQ(row.item(0).token(), "1");
  EXPECT_EQ(row.item(1).token(), "-0");
  EXPECT_EQ(row.item(2).token(), "1e-6");
  EXPECT_TRUE(cases[0].required("x").item(1).items().empty());
  EXPECT_EQ(cases[1].required("id").as_string(), "second");
  EXPECT_EQ(cases[1].required("id").token(), R"("sec\u006fnd")");
  EXPECT_EQ(document.file(), "f.json");
  EXPECT_EQ(document.text(), kCases);
}

TEST(JsonText, KnowsWhereEveryValueStands) {
  const JsonDocument document = parse(kCases);
  const std::vector<JsonNode> cases = document.root().required("cases").items();
  const JsonNode number = cases[0].required("x").item(0).item(2);
  EXPECT_EQ(number.path(), "cases[0].x[0][2]");
  EXPECT_EQ(number.place(), "cases[0].x[0][2], line 4");
  EXPECT_EQ(number.line(), 4U);
  EXPECT_EQ(number.column(), 35U);
  EXPECT_EQ(kCases.substr(number.byte_offset(), 4), "1e-6");

  EXPECT_EQ(document.root().path(), "");
  EXPECT_EQ(document.root().place(), "line 1");
  const JsonNode odd = cases[1].required("odd name");
  EXPECT_EQ(odd.path(), R"(cases[1]["odd name"])");
  EXPECT_EQ(odd.required("a\"b").path(), R"(cases[1]["odd name"]["a\"b"])");
  EXPECT_EQ(odd.required("").path(), R"(cases[1]["odd name"][""])");
  EXPECT_EQ(odd.members()[0].key.path(), R"(cases[1]["odd name"]["a\"b"])");
  EXPECT_EQ(cases[1].required("é").path(), R"(cases[1]["é"])");
  // A column counts characters: the name before has one of two bytes.
  EXPECT_EQ(cases[1].required("é").column(), 70U);
}

// Every path of a document leads back to the same value.
void check_paths(const JsonNode& node, const std::string& path, std::size_t& checked) {
  ASSERT_EQ(node.path(), path);
  ++checked;
  if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      check_paths(node.item(i), path + "[" + std::to_string(i) + "]", checked);
    }
  } else if (node.is_object()) {
    for (const JsonMember& member : node.members()) {
      const std::string below = path.empty() ? member.name : path + "." + member.name;
      ASSERT_EQ(member.key.path(), below);
      check_paths(member.value, below, checked);
    }
  }
}

TEST(JsonText, FindsThePathOfEveryValue) {
  const JsonDocument document =
      parse(R"({"a":[],"b":{},"c":[[],[[1],2],{"d":[{"e":{}},3]}],"f":"g","h":[null,true]})");
  std::size_t checked = 0;
  check_paths(document.root(), "", checked);
  EXPECT_EQ(checked, 18U);
}

TEST(JsonText, CountsLinesBehindAByteOrderMarkAndCarriageReturns) {
  const JsonDocument document = parse("\xEF\xBB\xBF[1,\r\n 2]\r\n");
  EXPECT_EQ(document.root().column(), 1U);
  EXPECT_EQ(document.root().byte_offset(), 3U);
  EXPECT_EQ(document.root().item(0).column(), 2U);
  EXPECT_EQ(document.root().item(1).line(), 2U);
  EXPECT_EQ(document.root().item(1).column(), 2U);
}

TEST(JsonText, GivesOffsetsInTheWholeFile) {
  const JsonDocument document = JsonDocument::parse("t.safetensors", R"({"w": 1})", 8);
  EXPECT_EQ(document.root().required("w").byte_offset(), 14U);
  EXPECT_EQ(thrown_message([] { (void)JsonDocument::parse("t.safetensors", R"({"w": })", 8); }),
            "t.safetensors: line 1, column 7 (byte 14): found \"}\", expected a JSON value");
}

TEST(JsonText, FindsMembersOfLargeObjects) {
  for (const int members : {1, 2, 15, 16, 17, 18, 1000}) {
    std::string text = "{";
    for (int i = 0; i < members; ++i) {
      text +=
          (i == 0 ? "\"k" : ", \"k") + std::to_string(i * 7919 % 1009) + "\": " + std::to_string(i);
    }
    const JsonDocument document = parse(text + "}");
    const JsonNode root = document.root();
    for (int i = 0; i < members; ++i) {
      const auto value = root.member("k" + std::to_string(i * 7919 % 1009));
      ASSERT_TRUE(value);
      EXPECT_EQ(value->as_integer(0, 1000), i);
    }
    EXPECT_FALSE(root.member("k"));
    EXPECT_FALSE(root.member("k1010"));
    EXPECT_FALSE(root.member("a"));
    EXPECT_FALSE(root.member("z"));
  }
}

TEST(JsonText, RefusesAMemberTwice) {
  EXPECT_EQ(
      thrown_message([] { (void)parse("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}"); }),
      "f.json: a, line 3, column 2 (byte 19): found a second member of this name, expected one "
      "(the first is on line 1, column 2)");
  // Escapes make no difference; the first repetition in the file is the one that is named.
  EXPECT_EQ(
      thrown_message([] { (void)parse(R"({"m": [{"b": 1, "a": 2, "\u0062": 3, "a": 4}]})"); }),
      "f.json: m[0].b, line 1, column 25 (byte 24): found a second member of this name, expected "
      "one "
      "(the first is on line 1, column 9)");
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += "\"k" + std::to_string(i) + "\": 0,\n";
  EXPECT_EQ(thrown_message([&] { (void)parse(many + "\"k500\": 1, \"k3\": 1}"); }),
            "f.json: k500, line 1001, column 1 (byte 10891): found a second member of this name, "
            "expected one (the first is on line 501, column 1)");
}

TEST(JsonText, NestsToALimitAndNoFurther) {
  const std::string deepest = std::string(kJsonMaxDepth, '[') + std::string(kJsonMaxDepth, ']');
  JsonDocument document = parse(deepest);
  JsonNode node = document.root();
  int depth = 1;
  for (; node.size() == 1; node = node.item(0)) ++depth;
  EXPECT_EQ(depth, kJsonMaxDepth);

  std::string objects;
  for (int i = 0; i < kJsonMaxDepth; ++i) objects += "{\"k\":";
  EXPECT_EQ(thrown_message([&] { (void)parse(objects + "[1]"); }).substr(0, 19),
            "f.json: k.k.k.k.k.k");
  EXPECT_TRUE(thrown_message([&] { (void)parse(objects + "[1]"); })
                  .ends_with("line 1, column 501 (byte 500): found more nested arrays and objects, "
                             "expected at most 100 levels"));
  // A million brackets need no stack.
  EXPECT_NE(thrown_message([] { (void)parse(std::string(1'000'000, '[')); }), "");
}

TEST(JsonText, RequiredNamesWhatIsMissing) {
  const JsonDocument document = parse("{\n\"c\": [{\"id\": 1}, {}]}");
  const JsonNode list = document.root().required("c");
  EXPECT_EQ(thrown_message([&] { (void)list.item(0).required("x"); }),
            "f.json: c[0], line 2: found an object without \"x\", expected a member \"x\"");
  EXPECT_EQ(thrown_message([&] { (void)list.item(1).required("x"); }),
            "f.json: c[1], line 2: found an empty object, expected a member \"x\"");
  EXPECT_EQ(thrown_message([&] { (void)list.required("x"); }),
            "f.json: c, line 2: found an array of 2, expected an object");
}

TEST(JsonText, RejectsUnknownMembersWithTheNearestKnown) {
  const JsonDocument document = parse("{\"id\": 1,\n \"epsilom\": 2}");
  EXPECT_EQ(thrown_message([&] {
              document.root().reject_unknown_members({"id", "epsilon"});
            }),
            "f.json: epsilom, line 2: found an unknown member \"epsilom\", expected one of \"id\", "
            "\"epsilon\" (did you mean \"epsilon\"?)");
  EXPECT_EQ(thrown_message([&] { document.root().reject_unknown_members({}); }),
            "f.json: id, line 1: found an unknown member \"id\", expected no members");
  document.root().reject_unknown_members({"epsilom", "other", "id"});
}

TEST(JsonText, ErrorsCarryTheirParts) {
  const JsonDocument document = parse("{\"dtype\": \"bf61\"}");
  const InputError error =
      document.root().required("dtype").unexpected("one of fp32, bf16", "bf16", "unknown_dtype");
  EXPECT_EQ(error.parts().code, "unknown_dtype");
  EXPECT_EQ(error.parts().file, "f.json");
  EXPECT_EQ(error.parts().place, "dtype, line 1");
  EXPECT_EQ(error.parts().found, "\"bf61\"");
  EXPECT_STREQ(error.what(),
               "f.json: dtype, line 1: found \"bf61\", expected one of fp32, bf16 (did you mean "
               "\"bf16\"?)");
  EXPECT_STREQ(document.root().error("this", "that").what(),
               "f.json: line 1: found this, expected that");
}

TEST(JsonText, ShowsHostileNamesPrintably) {
  const JsonDocument document = parse("{\"\\u001b[2J\\n\": {\"\\u202e\": 1}}");
  const JsonNode node = document.root().members()[0].value.members()[0].value;
  EXPECT_EQ(node.path(), R"(["\x1B[2J\x0A"]["\u{202E}"])");
  const std::string name(5000, 'n');
  const std::string message = thrown_message(
      [&] { (void)parse("{\"" + name + "\": {\"" + name + "\": [\"" + name + "\", x]}}"); });
  EXPECT_LT(message.size(), 400U);
  std::string deep;
  for (int i = 0; i < 50; ++i) deep += "{\"" + std::string(60, 'n') + "\":";
  EXPECT_LT(thrown_message([&] { (void)parse(deep + "x"); }).size(), 600U);
}

TEST(JsonText, OutlivesCopies) {
  std::vector<JsonDocument> copies;
  copies.push_back(parse("[\"\\u0061\", \"b\"]"));
  const JsonNode node = copies[0].root();
  copies.push_back(copies[0]);
  copies.erase(copies.begin());
  EXPECT_EQ(node.item(0).as_string(), "a");
  EXPECT_EQ(copies[0].root().item(1).as_string(), "b");
}

TEST(JsonText, ReadsFiles) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "json_text_test.json";
  std::ofstream(path) << "{\"a\": 1}";
  EXPECT_EQ(JsonDocument::read(path).root().required("a").as_integer(0, 9), 1);
  EXPECT_EQ(thrown_message([&] { (void)JsonDocument::read(path, 7); }),
            path.string() + ": found 8 bytes, expected at most 7");
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_EQ(thrown_message([&] { (void)JsonDocument::read(path); }),
            path.string() + ": found an empty file, expected JSON text");
  std::filesystem::remove(path);
  EXPECT_EQ(thrown_message([&] { (void)JsonDocument::read(path); }),
            path.string() + ": found no file of this name, expected a readable file");
}

}  // namespace
}  // namespace normcert
