#include "judge/verify.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "judge/hand_case.hpp"

namespace normcert {
namespace {

const Rows kRight = {{"0.125", "0.875"}};
const Rows kWrong = {{"0.125", "1"}};

Case eighths_named(const std::string& id) { return case_of(eighths(kFp32), id); }
TensorView outputs(const Rows& rows) { return tensor_of(rows, kFp32); }

std::vector<std::string> order_of(const VerifyOutcome& outcome) {
  std::vector<std::string> order;
  for (const SubjectResult& r : outcome.results) {
    order.push_back(r.candidate + "/" + std::string(name_of(r.role)) + "/" +
                    outcome.cases[r.case_index].id + "/" + std::string(name_of(r.tensor)));
  }
  return order;
}

TEST(Verify, OrderOfResults) {
  HandCase with_residual = eighths(kFp32);
  with_residual.x = {{"0.5", "3"}};
  with_residual.residual = {{"0.5", "4"}};
  VerifyRequest request;
  request.cases.push_back(judged(eighths_named("b"), outputs(kRight)));
  request.cases.push_back(judged(case_of(with_residual, "a")));
  request.candidates = {rounded_as("z"), rounded_as("y")};
  request.mutants = {always("wrong", outputs(kWrong))};
  request.criteria = within_ulp(1);
  request.level = Level::kTolerance;
  complete(request);
  const VerifyOutcome outcome = verify(request);
  EXPECT_EQ(order_of(outcome),
            (std::vector<std::string>{"observed/observed/b/y", "z/yardstick/b/y", "z/candidate/a/y",
                                      "z/candidate/a/residual_out", "y/yardstick/b/y",
                                      "y/candidate/a/y", "y/candidate/a/residual_out",
                                      "wrong/mutant/b/y", "wrong/mutant/a/y"}));
  EXPECT_EQ(outcome.verdict, VerdictValue::kAccepted);
  ASSERT_EQ(outcome.mutants.size(), 1U);
  EXPECT_TRUE(outcome.mutants[0].rejected);
  EXPECT_EQ(outcome.mutants[0].by, "max_ulp at b");
}

TEST(Verify, AMissingResidualOutputIsMissing) {
  HandCase hand = eighths(kFp32);
  hand.residual = {{"0", "0"}};
  VerifyRequest request;
  request.cases.push_back(judged(case_of(hand), outputs(kRight)));
  request.criteria = within_ulp(1);
  request.level = Level::kTolerance;
  complete(request);
  const VerifyOutcome outcome = verify(request);
  ASSERT_EQ(outcome.results.size(), 2U);
  EXPECT_EQ(outcome.results[1].tensor, OutputTensor::kResidualOut);
  EXPECT_EQ(outcome.results[1].comparison.compared, 0U);
  EXPECT_EQ(outcome.results[1].comparison.expected, 2U);
  EXPECT_EQ(outcome.verdict, VerdictValue::kInconclusive);
  EXPECT_EQ(outcome.reasons.at(0).code, "missing_output");
}

TEST(Verify, BitsAgainstNamedRecipesAndTheSource) {
  VerifyRequest request;
  request.cases.push_back(judged(eighths_named("c"), outputs(kWrong)));
  request.cases[0].source_recipe = "same.bits";
  request.candidates = {always("same.bits", outputs(kWrong)), always("other", outputs(kRight))};
  request.level = Level::kBits;
  complete(request);
  const VerifyOutcome outcome = verify(request);
  const SubjectResult& observed = outcome.results[0];
  EXPECT_EQ(observed.bit_identical,
            (std::map<std::string, std::uint64_t>{{"same.bits", 2}, {"other", 1}}));
  EXPECT_EQ(observed.equality.source, "same.bits");
  EXPECT_EQ(observed.equality.bits.equal, 2U);
  EXPECT_EQ(observed.equality.rounded_as, (std::vector<std::string>{"same.bits"}));
  EXPECT_EQ(observed.equality.rounding, Tristate::kSame);
  EXPECT_EQ(outcome.verdict, VerdictValue::kAccepted);
}

TEST(Verify, BitsOfZerosAndNans) {
  // Any NaN is any NaN; +0 and -0 are different bits, and the same number.
  VerifyRequest request;
  request.cases.push_back(
      judged(case_of({.x = {{"0", "0"}}, .epsilon = "1"}), outputs({{"0", "-0"}})));
  request.candidates = {always("zeros", outputs({{"0", "0"}})),
                        always("nan", outputs({{"nan", "0"}}))};
  request.level = Level::kFunction;
  complete(request);
  const VerifyOutcome outcome = verify(request);
  EXPECT_EQ(outcome.results[0].bit_identical.at("zeros"), 1U);
  EXPECT_EQ(outcome.results[0].bit_identical.at("nan"), 0U);
  EXPECT_EQ(outcome.results[0].comparison.zero_sign_differs, 1U);
  EXPECT_EQ(outcome.results[0].equality.function, Tristate::kSame);
  EXPECT_EQ(outcome.results[2].bit_identical.at("nan"), 2U);
}

TEST(Verify, OutputsOfAnotherFormatShareNoBits) {
  VerifyRequest request;
  request.cases.push_back(judged(eighths_named("c"), tensor_of(kRight, kBf16)));
  request.candidates = {always("fp32", outputs(kRight))};
  complete(request);
  EXPECT_EQ(verify(request).results[0].bit_identical.at("fp32"), 0U);
}

TEST(Verify, ARecipeIsComputedOncePerCase) {
  int calls = 0;
  VerifyRequest request;
  request.cases.push_back(judged(eighths_named("c"), outputs(kRight)));
  request.cases[0].source_recipe = "counted";
  request.candidates = {{"counted", [&](const Case& value) {
                           ++calls;
                           return rounded_as("").outputs(value);
                         }}};
  complete(request);
  EXPECT_EQ(verify(request).verdict, VerdictValue::kAccepted);
  EXPECT_EQ(calls, 1);
}

TEST(Verify, AControlIsCaughtByJudgedClassesOnly) {
  VerifyRequest request;
  request.cases.push_back(judged(eighths_named("ordinary"), outputs(kRight)));
  Case measured = eighths_named("far");
  measured.class_name = "beyond_range";
  request.cases.push_back(judged(std::move(measured), outputs(kWrong)));
  const Implementation wrong_when_far = {
      "control", [](const Case& value) {
        return Outputs{outputs(value.id == "far" ? kWrong : kRight), std::nullopt};
      }};
  request.mutants = {wrong_when_far};
  request.criteria = within_ulp(1);
  request.level = Level::kTolerance;
  complete(request);
  const VerifyOutcome outcome = verify(request);
  EXPECT_FALSE(outcome.mutants.at(0).rejected);
  EXPECT_EQ(outcome.verdict, VerdictValue::kInconclusive);
  EXPECT_EQ(outcome.results.at(1).verdict, VerdictValue::kRejected);
  EXPECT_FALSE(outcome.results.at(1).judged);
}

TEST(Verify, ExpectationsAreChecked) {
  Case value = eighths_named("c");
  value.expect.y = {{{"0.5", false, "here"}, {"0.875", false, "there"}}};
  VerifyRequest request;
  request.cases.push_back(judged(std::move(value), outputs(kRight)));
  complete(request);
  const VerifyOutcome outcome = verify(request);
  ASSERT_TRUE(outcome.cases[0].expectation);
  EXPECT_EQ(outcome.cases[0].expectation->checked, 2U);
  EXPECT_EQ(outcome.cases[0].expectation->failures.size(), 1U);
  EXPECT_EQ(outcome.verdict, VerdictValue::kRejected);
}

TEST(Verify, WithoutCasesNothingWasObserved) {
  VerifyRequest request;
  complete(request);
  const VerifyOutcome outcome = verify(request);
  EXPECT_EQ(outcome.verdict, VerdictValue::kInconclusive);
  EXPECT_EQ(outcome.reasons.at(0).code, "nothing_observed");
}

}  // namespace
}  // namespace normcert
