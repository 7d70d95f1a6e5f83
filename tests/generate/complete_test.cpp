// Cases of files: rows are generated, weights added where asked for, refusals sorted.
#include <gtest/gtest.h>

#include "generate/generate.hpp"
#include "generate/standard_rows.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

Case planned(const std::string& name, std::size_t width = 8) {
  Case value;
  value.id = name;
  value.class_name = "custom";
  value.place = "cases[0], line 3";
  value.epsilon = read_epsilon("1e-6", "", "");
  value.generator.emplace();
  value.generator->name = name;
  value.generator->width = width;
  value.generator->format = &kFp16;
  value.generator->weight_format = &kFp32;
  return value;
}

TEST(Generate, FillsRowsAndWeight) {
  const Case made = generate(planned("constant"), "f.json");
  EXPECT_FALSE(made.generator);
  EXPECT_EQ(made.x.rows, 3U);
  EXPECT_EQ(*made.x.format, kFp16);
  ASSERT_TRUE(made.weight);
  EXPECT_EQ(*made.weight->format, kFp32);
  EXPECT_EQ(made.weight->width, 8U);
}

TEST(Generate, KeepsTheCasesOwnWeight) {
  Case value = planned("constant", 1);
  Tensor weight(kFp64, 1, 1);
  weight.set(0, 0, code_of(0.5));
  value.weight = std::move(weight).share();
  const Case made = generate(std::move(value), "f.json");
  EXPECT_EQ(to_binary64(made.weight->at(0, 0)), 0.5);

  Case none = planned("constant");
  none.weight_none = true;
  EXPECT_FALSE(generate(std::move(none), "f.json").weight);
}

TEST(Generate, AWrittenCaseIsOnlyValidated) {
  Case value = generate(planned("one_hot"), "f.json");
  const auto bytes = value.x.bytes;
  const Case same = generate(std::move(value), "f.json");
  EXPECT_EQ(same.x.bytes.data(), bytes.data());
}

TEST(Generate, RefusesRowsThatCannotBeMade) {
  Case value = planned("constant");
  value.generator->parameters["values"] = {"1", "1e9"};
  EXPECT_EQ(thrown_message([&] { (void)generate(value, "f.json"); }),
            "f.json: cases[0], line 3: found rows that cannot be generated (constant, value 1e9), "
            "expected rows that can: an element lies beyond the greatest finite fp16 number");
  Case midpoint = planned("midpoint");
  midpoint.weight_none = true;
  EXPECT_NE(thrown_message([&] {
              (void)generate(midpoint, "f.json");
            }).find("midpoints need a weight of their own"),
            std::string::npos);
}

TEST(Generate, SaysWhereAnOffsetStandsThatWeightsCannotUndo) {
  Case value = planned("one_hot");
  value.weight_offset = {"1e39", 1e39};
  EXPECT_EQ(thrown_message([&] { (void)generate(value, "f.json"); }),
            "f.json: cases[0], line 3, weight_offset: found 1e39, expected an offset for which 1 - "
            "offset is finite in fp32");
}

TEST(Generate, RefusesAMissingEpsilonByItsCode) {
  Case value = planned("ordinary");
  value.epsilon = {};
  try {
    (void)generate(value, "f.json");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.parts().code, "missing_epsilon");
  }
}

TEST(Complete, MovesExpectedRefusals) {
  CaseFile file;
  file.path = "f.json";
  file.cases = {planned("zero"), planned("one_hot"), planned("ordinary")};
  // An epsilon of 0 goes with rows that are not zero only.
  file.cases[0].epsilon = read_epsilon("0", "", "", ZeroEpsilon::kAllowed);
  file.cases[0].expect.error = "epsilon_not_positive";
  file.cases[1].epsilon = file.cases[0].epsilon;
  file.cases[2].epsilon = {};
  file.cases[2].expect.error = "missing_epsilon";
  complete(file);
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(file.cases[0].id, "one_hot");
  EXPECT_EQ(file.cases[0].x.rows, 2U);
  ASSERT_EQ(file.refused.size(), 2U);
  EXPECT_EQ(file.refused[0].id, "zero");
  EXPECT_EQ(file.refused[0].code, "epsilon_not_positive");
  EXPECT_EQ(file.refused[1].id, "ordinary");
  EXPECT_EQ(file.refused[1].code, "missing_epsilon");
  EXPECT_TRUE(file.refused[0].expected && file.refused[1].expected);
}

TEST(Complete, ThrowsOtherRefusals) {
  CaseFile file;
  file.cases = {planned("ordinary")};
  file.cases[0].epsilon = {};
  file.cases[0].expect.error = "empty";
  EXPECT_THROW(complete(file), InputError);
}

}  // namespace
}  // namespace normcert
