// What a case file says arrives as it stands there. Refusals are in case_file_refusal_test.cpp.
#include "formats/case_file.hpp"

#include <gtest/gtest.h>

#include "formats/case_file_text.hpp"
#include "numeric/decimal.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

std::string hex_row(const TensorView& tensor, std::size_t row) {
  std::string text;
  for (std::size_t i = 0; i < tensor.width; ++i) text += hex_text(tensor.at(row, i)) + ' ';
  return text;
}

TEST(CaseFile, KeepsEveryMember) {
  const CaseFile file = read_case_file(JsonDocument::parse("f.json", R"({
    "schema": "normcert/cases/1",
    "note": "of the file",
    "claim": {"number": 3, "statement": "s", "check": "c", "outcome": "confirmed"},
    "cases": [
      {"id": "first", "class": "ordinary", "site": "model.norm", "note": "of the case",
       "dtype": "bf16", "weight_dtype": "fp32", "y_dtype": "fp16", "epsilon": 1e-05,
       "x": [[1, -2], [3, 4]], "residual": [[0.5, 0], [0, 0.25]], "weight": [0.1, -1],
       "weight_offset": 1.0},
      {"id": "second", "class": "custom", "epsilon": "0x1p-20", "x": [1, 2, 3], "weight": "none"}
    ]})"));
  EXPECT_EQ(file.path, "f.json");
  ASSERT_TRUE(file.claim);
  EXPECT_EQ(file.claim->number, 3);
  EXPECT_EQ(file.claim->outcome, "confirmed");
  EXPECT_TRUE(file.refused.empty());
  ASSERT_EQ(file.cases.size(), 2U);

  const Case& first = file.cases[0];
  EXPECT_EQ(first.id, "first");
  EXPECT_EQ(first.class_name, "ordinary");
  EXPECT_EQ(first.site, "model.norm");
  EXPECT_EQ(first.note, "of the case");
  EXPECT_EQ(first.place, "cases[0], line 6");
  EXPECT_EQ(first.epsilon.text, "1e-05");
  EXPECT_EQ(first.epsilon.binary64, 1e-5);
  EXPECT_EQ(*first.x.format, kBf16);
  EXPECT_EQ(*first.output, kFp16);
  EXPECT_EQ(hex_row(first.x, 0), "0x1p+0 -0x1p+1 ");
  EXPECT_EQ(hex_row(first.x, 1), "0x1.8p+1 0x1p+2 ");
  ASSERT_TRUE(first.residual);
  EXPECT_EQ(*first.residual->format, kBf16);
  EXPECT_EQ(hex_row(*first.residual, 1), "0x0p+0 0x1p-2 ");
  ASSERT_TRUE(first.weight);
  EXPECT_EQ(*first.weight->format, kFp32);
  EXPECT_EQ(hex_row(*first.weight, 0), "0x1.99999ap-4 -0x1p+0 ");
  EXPECT_FALSE(first.weight_none);
  EXPECT_EQ(first.weight_offset.text, "1.0");
  EXPECT_EQ(first.weight_offset.binary64, 1);
  EXPECT_TRUE(first.weight_offset_given);

  const Case& second = file.cases[1];
  EXPECT_EQ(second.epsilon.text, "0x1p-20");
  EXPECT_EQ(second.epsilon.binary64, 0x1p-20);
  EXPECT_EQ(*second.x.format, kFp64);
  EXPECT_EQ(*second.output, kFp64);
  EXPECT_EQ(second.x.rows, 1U);
  EXPECT_EQ(second.x.width, 3U);
  EXPECT_FALSE(second.weight);
  EXPECT_TRUE(second.weight_none);
  EXPECT_FALSE(second.weight_offset_given);
  EXPECT_FALSE(second.residual || second.generator || second.written);
  EXPECT_TRUE(second.expect.empty());
}

TEST(CaseFile, NumbersAreRoundedTwiceAndStringsOnce) {
  // 1 + 2^-8 is the tie between bf16's 1 and 1 + 2^-7; above it by 2^-70 is more than the tie, but
  // not in binary64.
  const std::string above_the_tie = "1.00390625000000000000084703294725430034";
  const Case value =
      read_one("\"dtype\": \"bf16\", \"x\": [" + above_the_tie + ", \"" + above_the_tie + "\"]");
  EXPECT_EQ(hex_row(value.x, 0), "0x1p+0 0x1.02p+0 ");
}

TEST(CaseFile, ReadsHexadecimalTextAndSigns) {
  const Case value = read_one(R"("dtype": "fp16", "x": ["0x1.8p-3", "-0x1p-24", -0, "+2.5e-1"])");
  EXPECT_EQ(hex_row(value.x, 0), "0x1.8p-3 -0x1p-24 -0x0p+0 0x1p-2 ");
}

TEST(CaseFile, OptionsNameTheDtypesOfCasesThatNameNone) {
  const CaseFileOptions options{.dtype = &kFp16, .weight_dtype = &kFp32};
  const Case plain = read_one(R"("x": [1], "weight": [1])", options);
  EXPECT_EQ(*plain.x.format, kFp16);
  EXPECT_EQ(*plain.output, kFp16);
  EXPECT_EQ(*plain.weight->format, kFp32);
  const Case own = read_one(R"("dtype": "bf16", "weight_dtype": "fp8_e4m3fn", "x": [1],
                               "weight": [0.9])",
                            options);
  EXPECT_EQ(*own.x.format, kBf16);
  EXPECT_EQ(*own.weight->format, kFp8E4m3fn);
  EXPECT_EQ(hex_row(*own.weight, 0), "0x1.cp-1 ");
  EXPECT_EQ(*read_one(R"("dtype": "bf16", "x": [1], "weight": [1])").weight->format, kBf16);
}

TEST(CaseFile, ObservedOutputsKeepTheirDigits) {
  const Case codes = read_one(R"("dtype": "fp16", "x": [[1, 2]], "y": [["nan", -1.5]])");
  ASSERT_TRUE(codes.written);
  EXPECT_EQ(codes.written->digits, 0);
  EXPECT_TRUE(codes.written->texts.empty());
  EXPECT_EQ(hex_row(codes.written->y, 0), "nan -0x1.8p+0 ");

  const Case printed = read_one(
      R"("y_dtype": "fp32", "x": [[1, 2]], "y": [[0.6324555, "1.264911"]], "y_digits": 7)");
  EXPECT_EQ(printed.written->digits, 7);
  EXPECT_EQ(*printed.written->y.format, kFp32);
  EXPECT_EQ(printed.written->texts, (std::vector<std::string>{"0.6324555", "1.264911"}));
}

TEST(CaseFile, EpsilonMayComeFromElsewhere) {
  const std::string without = R"({"id": "a", "class": "zero", "x": [0]})";
  const CaseFile file = read_cases(without, {.epsilon_may_be_missing = true});
  EXPECT_TRUE(file.cases.at(0).epsilon.text.empty());
  EXPECT_THROW((void)read_cases(without), InputError);
}

TEST(CaseFile, ZeroEpsilonIsFineWhereNoRowIsZero) {
  const CaseFile file =
      read_cases(R"({"id": "a", "class": "custom", "epsilon": "0.0", "x": [[0, 1], [1, 0]]})");
  EXPECT_EQ(file.cases.at(0).epsilon.binary64, 0);
  EXPECT_EQ(file.cases.at(0).epsilon.text, "0.0");
}

TEST(CaseFile, IsRecognisedByItsSchema) {
  const auto recognised = [](const std::string& text) {
    return is_case_file(JsonDocument::parse("f.json", text).root());
  };
  EXPECT_TRUE(recognised(R"({"schema": "normcert/cases/1"})"));
  EXPECT_TRUE(recognised(R"({"schema": "normcert/cases/9", "cases": 3})"));
  EXPECT_FALSE(recognised(R"({"schema": "normcert/report/1"})"));
  EXPECT_FALSE(recognised(R"({"schema": 1})"));
  EXPECT_FALSE(recognised(R"(["schema"])"));
}

}  // namespace
}  // namespace normcert
