// The `generate` member.
#include <gtest/gtest.h>

#include "formats/case_file_text.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

TEST(CaseFileGenerate, KeepsNameAndParameters) {
  const Case value = read_one(R"("dtype": "bf16", "weight_dtype": "fp32",
      "generate": {"name": "normal", "dim": 64, "rows": 4, "seed": 7, "rms": [1e-3, "0x1p4"]})");
  ASSERT_TRUE(value.generator);
  EXPECT_EQ(value.generator->name, "normal");
  EXPECT_EQ(value.generator->width, 64U);
  EXPECT_EQ(value.generator->rows, 4U);
  EXPECT_EQ(value.generator->seed, 7U);
  EXPECT_EQ(*value.generator->format, kBf16);
  EXPECT_EQ(*value.generator->weight_format, kFp32);
  EXPECT_TRUE(value.generator->with_weight);
  EXPECT_EQ(value.generator->parameters.at("rms"), (std::vector<std::string>{"1e-3", "0x1p4"}));
  EXPECT_EQ(value.x.rows, 0U);
  EXPECT_EQ(*value.x.format, kBf16);
}

TEST(CaseFileGenerate, ASingleNumberIsAListOfOne) {
  const Case value = read_one(R"("generate": {"name": "constant", "dim": 2, "values": -0.5})");
  EXPECT_EQ(value.generator->parameters.at("values"), (std::vector<std::string>{"-0.5"}));
  EXPECT_EQ(value.generator->rows, 0U);
  EXPECT_EQ(value.generator->seed, 0U);
}

TEST(CaseFileGenerate, WeightIsGeneratedUnlessTheCaseSaysOtherwise) {
  const auto with_weight = [](const std::string& weight) {
    return read_one(weight + R"("generate": {"name": "zero", "dim": 2})").generator->with_weight;
  };
  EXPECT_TRUE(with_weight(""));
  EXPECT_TRUE(with_weight(R"("weight": "generated", )"));
  EXPECT_FALSE(with_weight(R"("weight": "none", )"));
  EXPECT_FALSE(with_weight(R"("weight": [1, 2], )"));
}

TEST(CaseFileGenerate, RefusesWhatTheGeneratorDoesNotKnow) {
  const auto refused = [](const std::string& generate) {
    return thrown_message([&] { (void)read_one("\"generate\": " + generate); });
  };
  const std::string f = "f.json: cases[0].generate";
  EXPECT_EQ(refused(R"({"name": "zero"})"),
            f + ", line 1: found an object without \"dim\", expected a member \"dim\"");
  EXPECT_EQ(refused(R"({"name": "ordinray", "dim": 2})"),
            f + ".name, line 1: found \"ordinray\", expected one of zero, tiny, small, ordinary, "
                "large, constant, alternating, one_hot, mixed_scale, outlier_channel, "
                "q_over_epsilon, near_overflow, subnormal, exact_rms, midpoint, beyond_range, "
                "amplitude, normal (did you mean \"ordinary\"?)");
  EXPECT_EQ(refused(R"({"name": "zero", "dim": 2, "rms": 1})"),
            f + ".rms, line 1: found an unknown member \"rms\", expected one of \"name\", \"dim\", "
                "\"rows\", \"seed\" (did you mean \"rows\"?)");
  EXPECT_EQ(refused(R"({"name": "normal", "dim": 2, "rms": [1, 0]})"),
            f + ".rms[1], line 1: found 0, expected a finite number above 0");
  EXPECT_EQ(refused(R"({"name": "normal", "dim": 2, "rms": []})"),
            f + ".rms, line 1: found [], expected 1 to 4096 numbers");
  EXPECT_EQ(refused(R"({"name": "constant", "dim": 2, "values": "inf"})"),
            f + ".values, line 1: found \"inf\", expected a finite number");
  EXPECT_EQ(refused(R"({"name": "amplitude", "dim": 2, "exponent": 1.5})"),
            f + ".exponent, line 1: found 1.5, expected a whole number from -400 to 400");
  EXPECT_EQ(refused(R"({"name": "mixed_scale", "dim": 2, "lowest_exponent": [1, 2]})"),
            f + ".lowest_exponent, line 1: found an array of 2, expected a whole number from -400 "
                "to 400");
  EXPECT_EQ(refused(R"({"name": "zero", "dim": 2, "seed": -1})"),
            f + ".seed, line 1: found -1, expected an integer of at least 0");
}

}  // namespace
}  // namespace normcert
