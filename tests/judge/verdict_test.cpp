// Interface rule 7, on results that say one thing each.
#include "judge/verdict.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "judge/hand_case.hpp"

namespace normcert {
namespace {

// Four elements, all right.
SubjectResult right_result() {
  SubjectResult result;
  result.candidate = "observed";
  result.comparison.expected = 4;
  result.comparison.compared = 4;
  result.comparison.correctly_rounded = 4;
  result.comparison.faithful = 4;
  result.equality.source = "a.recipe";
  result.equality.bits = {4, 4};
  result.equality.rounding = Tristate::kSame;
  return result;
}

std::string judged_as(SubjectResult& result, const Criteria& criteria, Level level) {
  CaseSummary summary;
  summary.id = "case";
  judge_result(summary, criteria, level, result);
  std::string text(name_of(result.verdict));
  for (const Reason& reason : result.reasons) text += " " + reason.code;
  return text;
}

TEST(JudgeResult, LimitsAlone) {
  SubjectResult result = right_result();
  EXPECT_EQ(judged_as(result, within(1, 0), Level::kTolerance), "accepted");
  result = right_result();
  result.comparison.outside_tolerance = 1;
  EXPECT_EQ(judged_as(result, within(1, 0), Level::kTolerance), "rejected tolerance");
  EXPECT_NE(result.reasons[0].text.find("1 of 4 elements are outside atol 1, rtol 0"),
            std::string::npos)
      << result.reasons[0].text;
  EXPECT_EQ(result.reasons[0].candidate, "observed");
  result = right_result();
  result.comparison.unattainable = 4;
  EXPECT_EQ(judged_as(result, within(0, 0), Level::kTolerance), "accepted");
  result = right_result();
  result.comparison.beyond_max_ulp = 2;
  EXPECT_EQ(judged_as(result, within_ulp(1), Level::kTolerance), "rejected max_ulp");
  EXPECT_NE(result.reasons[0].text.find("2 of 4 elements are further than 1 ulp"),
            std::string::npos);
}

TEST(JudgeResult, AnotherKindOfNonFiniteIsRejectedAtEveryLevel) {
  for (const Level level : {Level::kFunction, Level::kRounding, Level::kBits, Level::kTolerance}) {
    SubjectResult result = right_result();
    result.comparison.non_finite.disagree = 1;
    const std::string said = judged_as(result, {}, level);
    EXPECT_TRUE(said.starts_with("rejected non_finite")) << said;
  }
}

TEST(JudgeResult, LevelFunction) {
  SubjectResult result = right_result();
  EXPECT_EQ(judged_as(result, {}, Level::kFunction), "accepted");
  EXPECT_EQ(result.equality.function, Tristate::kSame);
  result = right_result();
  result.comparison.correctly_rounded = 3;
  EXPECT_EQ(judged_as(result, {}, Level::kFunction), "inconclusive function");
  EXPECT_EQ(result.equality.function, Tristate::kUndecided);
}

TEST(JudgeResult, LevelRounding) {
  SubjectResult result = right_result();
  EXPECT_EQ(judged_as(result, {}, Level::kRounding), "accepted");
  result = right_result();
  result.equality.rounding = Tristate::kUndecided;
  EXPECT_EQ(judged_as(result, {}, Level::kRounding), "inconclusive rounding");
  result = right_result();
  result.equality.rounding = Tristate::kDiffers;
  EXPECT_EQ(judged_as(result, {}, Level::kRounding), "rejected rounding");
}

TEST(JudgeResult, LevelBits) {
  SubjectResult result = right_result();
  EXPECT_EQ(judged_as(result, {}, Level::kBits), "accepted");
  result = right_result();
  result.equality.bits.equal = 3;
  EXPECT_EQ(judged_as(result, {}, Level::kBits), "rejected bits");
  EXPECT_NE(result.reasons[0].text.find("3 of 4 elements have the bits of a.recipe"),
            std::string::npos);
}

TEST(JudgeResult, LimitsHoldBesideALevel) {
  SubjectResult result = right_result();
  result.comparison.beyond_max_ulp = 1;
  EXPECT_EQ(judged_as(result, within_ulp(1), Level::kBits), "rejected max_ulp");
}

TEST(JudgeResult, AMissingOutputIsNeverAccepted) {
  SubjectResult result = right_result();
  result.comparison = {};
  result.comparison.expected = 4;
  result.equality = {};
  EXPECT_EQ(judged_as(result, within(1, 1), Level::kTolerance), "inconclusive missing_output");
  EXPECT_NE(result.equality.function, Tristate::kSame);
}

TEST(JudgeResult, RowsWithoutAnExactResultAreNeverAccepted) {
  SubjectResult result = right_result();
  result.comparison.rows_set_apart = 1;
  result.comparison.compared = 3;
  result.comparison.correctly_rounded = 3;
  EXPECT_EQ(judged_as(result, within(1, 1), Level::kTolerance), "inconclusive non_finite");
  EXPECT_NE(result.equality.function, Tristate::kSame);
  result = right_result();
  result.comparison = {};
  result.comparison.expected = 4;
  result.comparison.rows_set_apart = 1;
  EXPECT_EQ(judged_as(result, within(1, 1), Level::kTolerance), "inconclusive nothing_compared");
  result = right_result();
  result.comparison.rows_set_apart = 1;
  result.comparison.compared = 3;
  result.comparison.outside_tolerance = 1;
  EXPECT_EQ(judged_as(result, within(1, 1), Level::kTolerance), "rejected non_finite tolerance");
}

TEST(MeasuredOnly, TwoClasses) {
  EXPECT_TRUE(is_measured_only("beyond_range"));
  EXPECT_TRUE(is_measured_only("amplitude"));
  for (const char* name : {"", "zero", "near_overflow", "captured", "custom"}) {
    EXPECT_FALSE(is_measured_only(name)) << name;
  }
}

// A run over one case that is made of results given.
class HandRun {
 public:
  HandRun() {
    request_.cases.push_back(judged(case_of(eighths(kFp32), "case")));
    outcome_.cases.emplace_back().id = "case";
  }

  SubjectResult& add(VerdictValue verdict, Role role = Role::kObserved,
                     const std::string& name = "observed") {
    SubjectResult& result = outcome_.results.emplace_back();
    result.candidate = name;
    result.role = role;
    result.verdict = verdict;
    if (verdict != VerdictValue::kAccepted) result.reasons = {{"tolerance", "why", "", name}};
    return result;
  }
  void add_control(bool rejected) { outcome_.mutants.push_back({"control", rejected, ""}); }
  void expect(const std::string& candidate, const std::string& verdict) {
    request_.cases[0].value.expect.candidates[candidate] = verdict;
  }
  void fail_expectation() {
    outcome_.cases[0].expectation = ExpectationOutcome{1, {{"place", "0.5", "0.25"}}};
  }

  std::string judge() {
    judge_run(request_, outcome_);
    std::string text(name_of(outcome_.verdict));
    for (const Reason& reason : outcome_.reasons) text += " " + reason.code;
    return text;
  }
  const VerifyOutcome& outcome() const { return outcome_; }

 private:
  VerifyRequest request_;
  VerifyOutcome outcome_;
};

TEST(JudgeRun, RejectedBeatsInconclusive) {
  HandRun accepted;
  accepted.add(VerdictValue::kAccepted);
  EXPECT_EQ(accepted.judge(), "accepted");
  HandRun inconclusive;
  inconclusive.add(VerdictValue::kAccepted);
  inconclusive.add(VerdictValue::kInconclusive);
  EXPECT_EQ(inconclusive.judge(), "inconclusive tolerance");
  HandRun rejected;
  rejected.add(VerdictValue::kInconclusive);
  rejected.add(VerdictValue::kRejected);
  rejected.add(VerdictValue::kAccepted);
  rejected.add_control(false);
  EXPECT_EQ(rejected.judge(), "rejected tolerance tolerance control_accepted");
}

TEST(JudgeRun, NothingObserved) {
  EXPECT_EQ(HandRun().judge(), "inconclusive nothing_observed");
  HandRun others;
  others.add(VerdictValue::kAccepted, Role::kYardstick, "hf.llama");
  others.add(VerdictValue::kRejected, Role::kMutant, "control");
  others.add_control(true);
  EXPECT_EQ(others.judge(), "inconclusive nothing_observed");
}

TEST(JudgeRun, YardsticksAndControlsAreNotThePort) {
  HandRun run;
  run.add(VerdictValue::kAccepted);
  run.add(VerdictValue::kRejected, Role::kYardstick, "hf.llama");
  run.add(VerdictValue::kRejected, Role::kMutant, "control");
  run.add_control(true);
  EXPECT_EQ(run.judge(), "accepted");
}

TEST(JudgeRun, AnAcceptedControlMakesTheRunInconclusive) {
  HandRun run;
  run.add(VerdictValue::kAccepted);
  run.add_control(false);
  EXPECT_EQ(run.judge(), "inconclusive control_accepted");
  EXPECT_EQ(run.outcome().reasons[0].candidate, "control");
}

TEST(JudgeRun, CandidatesWithoutOutputsAreJudged) {
  HandRun run;
  run.add(VerdictValue::kRejected, Role::kCandidate, "hf.llama");
  EXPECT_EQ(run.judge(), "rejected tolerance");
}

TEST(JudgeRun, MeasuredClassesDoNotCount) {
  HandRun run;
  run.add(VerdictValue::kAccepted);
  run.add(VerdictValue::kRejected).judged = false;
  EXPECT_EQ(run.judge(), "accepted");
  HandRun only;
  only.add(VerdictValue::kAccepted).judged = false;
  EXPECT_EQ(only.judge(), "inconclusive nothing_observed");
}

TEST(JudgeRun, AnExpectedVerdictTurnsTheResultRound) {
  HandRun as_expected;
  as_expected.expect("naive", "rejected");
  as_expected.add(VerdictValue::kRejected, Role::kCandidate, "naive");
  EXPECT_EQ(as_expected.judge(), "accepted");
  EXPECT_EQ(as_expected.outcome().results[0].as_expected, true);
  EXPECT_EQ(as_expected.outcome().results[0].verdict, VerdictValue::kRejected);

  HandRun surprising;
  surprising.expect("naive", "rejected");
  surprising.add(VerdictValue::kAccepted, Role::kCandidate, "naive");
  EXPECT_EQ(surprising.judge(), "rejected unexpected");
  EXPECT_EQ(surprising.outcome().results[0].as_expected, false);

  HandRun other;
  other.expect("naive", "rejected");
  other.add(VerdictValue::kRejected, Role::kCandidate, "hf.llama");
  EXPECT_EQ(other.judge(), "rejected tolerance");
  EXPECT_FALSE(other.outcome().results[0].as_expected);
}

// What is expected of a candidate is about the case: rejected if one of its tensors is.
TEST(JudgeRun, AnExpectedVerdictIsAboutAllTensorsOfACase) {
  const auto run_with = [](const std::string& expected, VerdictValue sum) {
    HandRun run;
    run.expect("naive", expected);
    run.add(VerdictValue::kRejected, Role::kCandidate, "naive");
    run.add(sum, Role::kCandidate, "naive").tensor = OutputTensor::kResidualOut;
    const std::string said = run.judge();
    EXPECT_EQ(run.outcome().results[0].as_expected, run.outcome().results[1].as_expected);
    return said;
  };
  EXPECT_EQ(run_with("rejected", VerdictValue::kAccepted), "accepted");
  EXPECT_EQ(run_with("rejected", VerdictValue::kInconclusive), "accepted");
  EXPECT_EQ(run_with("rejected", VerdictValue::kRejected), "accepted");
  EXPECT_EQ(run_with("accepted", VerdictValue::kAccepted), "rejected unexpected");  // said once
}

TEST(JudgeRun, AnExpectationThatDoesNotHoldIsRejected) {
  HandRun run;
  run.fail_expectation();
  run.add(VerdictValue::kAccepted);
  EXPECT_EQ(run.judge(), "rejected unexpected");
  EXPECT_NE(run.outcome().reasons[0].text.find("at place: expected 0.5, the exact result is 0.25"),
            std::string::npos);
}

}  // namespace
}  // namespace normcert
