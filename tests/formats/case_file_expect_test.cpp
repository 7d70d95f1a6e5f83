// The `expect` member: what is expected, in which words, and where it stands.
#include <gtest/gtest.h>

#include "formats/case_file_text.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

std::string refusal(const std::string& members) {
  return thrown_message([&] { (void)read_one(members); });
}

constexpr const char* kTwoRows = R"("x": [[1, 2], [3, 4]], "expect": )";

TEST(CaseFileExpect, KeepsTextsPlacesAndKinds) {
  const Case value = read_one(kTwoRows + std::string(R"({
      "y": [["0.6", 1.25], ["0x1p-3", "-inf"]],
      "attenuation": ["0.9", 0.99],
      "output_rms": "1.0",
      "square": 4,
      "y_with_placement": {"outside": [["1", "2"], ["3", "4"]], "none": "5"},
      "candidates": {"hf.llama": "accepted", "mine.json": "rejected"}})"));
  const Expectation& expect = value.expect;
  ASSERT_EQ(expect.y.size(), 2U);
  EXPECT_EQ(expect.y[0][0].text, "0.6");
  EXPECT_FALSE(expect.y[0][0].rounded_to_dtype);
  EXPECT_EQ(expect.y[0][0].place, "cases[0].expect.y[0][0], line 2");
  EXPECT_EQ(expect.y[0][1].text, "1.25");
  EXPECT_TRUE(expect.y[0][1].rounded_to_dtype);
  EXPECT_FALSE(expect.y[1][0].rounded_to_dtype);
  EXPECT_EQ(expect.y[1][1].text, "-inf");
  EXPECT_TRUE(expect.y[1][1].rounded_to_dtype);
  ASSERT_EQ(expect.attenuation.size(), 2U);
  EXPECT_TRUE(expect.attenuation[1].rounded_to_dtype);
  ASSERT_EQ(expect.output_rms.size(), 1U);
  EXPECT_EQ(expect.output_rms[0].place, "cases[0].expect.output_rms, line 4");
  EXPECT_EQ(expect.square.at(0).at(0).text, "4");
  EXPECT_EQ(expect.y_with_placement.at("outside").at(1).at(0).text, "3");
  EXPECT_EQ(expect.y_with_placement.at("none").size(), 1U);
  EXPECT_EQ(expect.candidates.at("mine.json"), "rejected");
  EXPECT_TRUE(expect.error.empty());
}

TEST(CaseFileExpect, AFlatArrayIsOneRow) {
  const Case value = read_one(R"("x": [1, 2], "expect": {"y": ["1", "2"], "square": [1, 4]})");
  ASSERT_EQ(value.expect.y.size(), 1U);
  EXPECT_EQ(value.expect.y[0].size(), 2U);
}

TEST(CaseFileExpect, RefusesWhatDoesNotFit) {
  const std::string f = "f.json: cases[0].expect";
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"y": ["1", "2"]})")),
            f + ".y, line 1: found 1 row of 2 numbers, expected 2 rows of 2 numbers as in x, or "
                "one number for all");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"attenuation": [1, 2, 3]})")),
            f + ".attenuation, line 1: found an array of 3, expected one number for each of 2 "
                "rows, or one for all");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"y": "nan"})")),
            f + ".y, line 1: found \"nan\", expected a number such as \"0.707107\", \"0x1.8p3\", "
                "\"inf\" or \"-inf\"");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"y": [[true, 1], [1, 1]]})")),
            f + ".y[0][0], line 1: found true, expected a number, or a string of decimals");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"atenuation": 1})")),
            f + ".atenuation, line 1: found an unknown member \"atenuation\", expected one of "
                "\"y\", \"attenuation\", \"output_rms\", \"square\", \"y_with_placement\", "
                "\"error\", \"candidates\" (did you mean \"attenuation\"?)");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"y_with_placement": {"outsied": 1}})")),
            f + ".y_with_placement.outsied, line 1: found \"outsied\", expected one of inside, "
                "outside, after_rsqrt, clamp_q, clamp_rms, on_sum, scaled_by_max, none (did you "
                "mean \"outside\"?)");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"candidates": {"a": "acepted"}})")),
            f + ".candidates.a, line 1: found \"acepted\", expected one of accepted, rejected (did "
                "you mean \"accepted\"?)");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"error": "emtpy"})")),
            f + ".error, line 1: found \"emtpy\", expected one of empty, shape_mismatch, "
                "non_finite_input, epsilon_not_positive, epsilon_not_finite, epsilon_unreadable, "
                "unknown_dtype, unknown_class, missing_epsilon (did you mean \"empty\"?)");
  EXPECT_EQ(refusal(kTwoRows + std::string(R"({"error": "empty", "y": 1})")),
            f + ", line 1: found \"error\" beside other expectations, expected \"error\" alone: a "
                "refused case has no result");
}

}  // namespace
}  // namespace normcert
