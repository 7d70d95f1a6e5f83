// Refusals: each code of the interface, expected ones kept as values, all others thrown.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "formats/case_file_text.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

struct Bad {
  std::string code;
  std::string members;  // beside id
};

const std::vector<Bad>& bad_cases() {
  static const std::vector<Bad> kCases = {
      {"empty", R"("class": "zero", "epsilon": 1, "x": [])"},
      {"empty", R"("class": "zero", "epsilon": 1, "x": [[], []])"},
      {"empty", R"("class": "zero", "epsilon": 1, "generate": {"name": "zero", "dim": 0})"},
      {"empty", R"("class": "zero", "epsilon": 1, "generate": {"name": "zero", "dim": 1,
                   "rows": 0})"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [[1], [1, 2]])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [[1], []])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [[1], 2])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1, [2]])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [[[1]]])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": 1)"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1], "residual": [1, 2])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1], "residual": [[1], [2]])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1], "weight": [])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1], "weight": [1, 2])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1], "weight": [[1]])"},
      {"shape_mismatch", R"("class": "zero", "epsilon": 1, "x": [1], "y": [[1], [1]])"},
      {"non_finite_input", R"("class": "zero", "epsilon": 1, "x": [1, "nan"])"},
      {"non_finite_input", R"("class": "zero", "epsilon": 1, "x": [1, "-inf"])"},
      {"non_finite_input", R"("class": "zero", "epsilon": 1, "x": [1e400])"},
      {"non_finite_input", R"("class": "zero", "epsilon": 1, "dtype": "fp16", "x": ["65520"])"},
      {"non_finite_input", R"("class": "zero", "epsilon": 1, "x": [1], "residual": ["inf"])"},
      {"non_finite_input", R"("class": "zero", "epsilon": 1, "x": [1], "weight": ["nan"])"},
      {"epsilon_not_positive", R"("class": "zero", "epsilon": -1e-6, "x": [1])"},
      {"epsilon_not_positive", R"("class": "zero", "epsilon": "-0", "x": [1])"},
      {"epsilon_not_positive", R"("class": "zero", "epsilon": 1e-400, "x": [1])"},
      {"epsilon_not_positive", R"("class": "zero", "epsilon": 0, "x": [[1], [0]])"},
      {"epsilon_not_positive", R"("class": "zero", "epsilon": 0, "x": [[1, 2]],
                                  "residual": [[-1, -2]])"},
      {"epsilon_not_finite", R"("class": "zero", "epsilon": "inf", "x": [1])"},
      {"epsilon_not_finite", R"("class": "zero", "epsilon": "nan", "x": [1])"},
      {"epsilon_not_finite", R"("class": "zero", "epsilon": 1e999, "x": [1])"},
      {"epsilon_unreadable", R"("class": "zero", "epsilon": "", "x": [1])"},
      {"epsilon_unreadable", R"("class": "zero", "epsilon": "1e-6 ", "x": [1])"},
      {"epsilon_unreadable", R"("class": "zero", "epsilon": "none given", "x": [1])"},
      {"epsilon_unreadable", R"("class": "zero", "epsilon": null, "x": [1])"},
      {"epsilon_unreadable", R"("class": "zero", "epsilon": [1e-6], "x": [1])"},
      {"unknown_dtype", R"("class": "zero", "epsilon": 1, "dtype": "float", "x": [1])"},
      {"unknown_dtype", R"("class": "zero", "epsilon": 1, "dtype": 16, "x": [1])"},
      {"unknown_dtype", R"("class": "zero", "epsilon": 1, "dtype": "fp8_e5m2", "x": [1])"},
      {"unknown_dtype", R"("class": "zero", "epsilon": 1, "weight_dtype": "fp8", "x": [1])"},
      {"unknown_dtype", R"("class": "zero", "epsilon": 1, "y_dtype": "fp8_e5m2", "x": [1])"},
      {"unknown_class", R"("class": "Zero", "epsilon": 1, "x": [1])"},
      {"missing_epsilon", R"("class": "zero", "x": [1])"},
  };
  return kCases;
}

TEST(CaseFileRefusal, EveryCodeIsThrownUnlessItIsExpected) {
  std::set<std::string> codes;
  for (const Bad& bad : bad_cases()) {
    SCOPED_TRACE(bad.members);
    codes.insert(bad.code);
    try {
      (void)read_cases(R"({"id": "b", )" + bad.members + '}');
      ADD_FAILURE() << "was not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, bad.code);
      EXPECT_TRUE(error.parts().place.starts_with("cases[0]")) << error.what();
      EXPECT_FALSE(error.parts().found.empty() || error.parts().expected.empty());
    }
    const CaseFile file = read_cases(R"({"id": "b", )" + bad.members +
                                     R"(, "expect": {"error": ")" + bad.code + "\"}}");
    EXPECT_TRUE(file.cases.empty());
    ASSERT_EQ(file.refused.size(), 1U);
    EXPECT_EQ(file.refused[0].id, "b");
    EXPECT_EQ(file.refused[0].code, bad.code);
    EXPECT_TRUE(file.refused[0].expected);
    EXPECT_NE(file.refused[0].message.find("f.json: cases[0]"), std::string::npos);
  }
  EXPECT_EQ(codes.size(), refusal_codes().size());
}

TEST(CaseFileRefusal, AnotherRefusalThanTheExpectedOneIsThrown) {
  for (const Bad& bad : bad_cases()) {
    const std::string other = bad.code == "empty" ? "shape_mismatch" : "empty";
    const std::string message = thrown_message([&] {
      (void)read_cases(R"({"id": "b", )" + bad.members + R"(, "expect": {"error": ")" + other +
                       "\"}}");
    });
    EXPECT_NE(
        message.find("(the refusal " + bad.code + ", where expect.error names " + other + ')'),
        std::string::npos)
        << message;
  }
}

TEST(CaseFileRefusal, AnExpectedRefusalThatDoesNotComeStaysVisible) {
  const CaseFile file = read_cases(case_with(R"("x": [1], "expect": {"error": "empty"})"));
  EXPECT_TRUE(file.refused.empty());
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(file.cases[0].expect.error, "empty");
}

TEST(CaseFileRefusal, FaultsOfTheFileItselfCannotBeExpected) {
  const std::vector<std::string> kMembers = {
      R"("x": [true])",
      R"("x": ["one"])",
      R"("x": [1], "generate": {"name": "zero", "dim": 1})",
      R"("note": "neither x nor generate")",
      R"("x": [1], "why": 1)",
      R"("x": [1], "weight": "ones")",
      R"("x": [1], "weight": "generated")",
      R"("x": [1], "weight_offset": "inf")",
      R"("x": [1], "weight_offset": "")",
      R"("x": [1], "y_digits": 7)",
      R"("x": [1], "y": [1], "y_digits": 0)",
      R"("x": [1], "y": [1], "y_digits": 7.5)",
      R"("x": [1], "note": 1)",
  };
  for (const std::string& members : kMembers) {
    SCOPED_TRACE(members);
    try {
      (void)read_one(members + R"(, "expect": {"error": "empty"})");
      ADD_FAILURE() << "was not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, "");
    }
  }
}

TEST(CaseFileRefusal, Ids) {
  const auto refused = [](const std::string& id) {
    return thrown_message([&] {
      (void)read_cases(R"({"id": )" + id + R"(, "class": "zero", "epsilon": 1, "x": [0]})");
    });
  };
  EXPECT_EQ(refused("\"\""),
            "f.json: cases[0].id, line 1: found \"\", expected an id that is not empty");
  EXPECT_EQ(refused(R"("a\u0007b")"),
            "f.json: cases[0].id, line 1: found \"a\\u0007b\", expected an id of printable "
            "characters");
  EXPECT_EQ(refused("7"), "f.json: cases[0].id, line 1: found 7, expected a string");
  EXPECT_NE(refused('"' + std::string(201, 'a') + '"').find("at most 200 bytes"),
            std::string::npos);
  EXPECT_NE(refused("\"\xE2\x80\xAE\"").find("printable"), std::string::npos);
}

TEST(CaseFileRefusal, TopLevel) {
  const auto refused = [](const std::string& text) {
    return thrown_message([&] { (void)read_case_file(JsonDocument::parse("f.json", text)); });
  };
  EXPECT_EQ(refused("[]"), "f.json: line 1: found [], expected an object");
  EXPECT_EQ(refused("{}"), "f.json: line 1: found an empty object, expected a member \"schema\"");
  EXPECT_EQ(refused(R"({"schema": "normcert/cases/1"})"),
            "f.json: line 1: found an object without \"cases\", expected a member \"cases\"");
  EXPECT_EQ(refused(R"({"schema": "normcert/cases/1", "cases": []})"),
            "f.json: cases, line 1: found [], expected an array of at least one case");
  EXPECT_EQ(refused(R"({"schema": "normcert/cases/1", "cases": [3]})"),
            "f.json: cases[0], line 1: found 3, expected an object");
  EXPECT_EQ(refused(R"({"schema": "normcert/cases/1", "case": []})"),
            "f.json: case, line 1: found an unknown member \"case\", expected one of \"schema\", "
            "\"note\", \"claim\", \"cases\" (did you mean \"cases\"?)");
  EXPECT_EQ(refused(R"({"schema": "normcert/cases/1", "claim": {"number": 0}, "cases": [3]})"),
            "f.json: claim.number, line 1: found 0, expected an integer from 1 to 2147483647");
}

TEST(CaseFileRefusal, HostileSizes) {
  const auto refused = [](const std::string& members, std::size_t limit) {
    return thrown_message([&] { (void)read_one(members, {.max_elements = limit}); });
  };
  EXPECT_EQ(refused(R"("x": [[1, 2], [3, 4]])", 3),
            "f.json: cases[0].x, line 1: found 4 elements, expected at most 3 elements of x in one "
            "file (3 are left)");
  const std::size_t limit = std::size_t{1} << 27;
  EXPECT_NE(refused(R"("generate": {"name": "normal", "dim": 134217728, "rows": 134217728})", limit)
                .find("found 18014398509481984 elements"),
            std::string::npos);
  EXPECT_NE(refused(R"("generate": {"name": "normal", "dim": 99999999999999999999})", limit)
                .find("an integer from 0 to 134217728"),
            std::string::npos);
  EXPECT_NE(refused(R"("generate": {"name": "normal", "dim": 134217728, "rows": -1})", limit)
                .find("an integer from 0 to"),
            std::string::npos);
  // All cases of a file together.
  const std::string one = R"({"id": "a", "class": "zero", "epsilon": 1, "x": [1, 2]})";
  const std::string two = R"({"id": "b", "class": "zero", "epsilon": 1, "x": [1, 2]})";
  EXPECT_EQ(read_cases(one + ',' + two, {.max_elements = 4}).cases.size(), 2U);
  EXPECT_THROW((void)read_cases(one + ',' + two, {.max_elements = 3}), InputError);
}

}  // namespace
}  // namespace normcert
