// From what elimination found to same, differs or undecided, on diagnoses that say one thing each.
#include "judge/function_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "judge/hand_case.hpp"
#include "judge/verdict.hpp"

namespace normcert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// mean_square inside with the declared epsilon needing `slack` of 16 (known orders) and 38 u.
EliminatedHypothesis declared_function(HypothesisStatus status, double slack) {
  EliminatedHypothesis one;
  one.hypothesis = {"mean_square", "inside", "before_weight", "0", "used", ""};
  one.status = status;
  one.known_orders = 16;
  one.any_order = 38;
  one.least_slack = 1;
  one.slack_of = {{"declared", 1e-5, slack}, {"1e-6", 1e-6, 1}};
  one.epsilon = {6.92e-7, 1.28e-6};
  return one;
}

EliminatedHypothesis other_function(const std::string& statistic, const std::string& placement) {
  EliminatedHypothesis one = declared_function(HypothesisStatus::kSurvives, 1);
  one.hypothesis.statistic = statistic;
  one.hypothesis.placement = placement;
  return one;
}

Elimination elimination(std::vector<EliminatedHypothesis> hypotheses,
                        EliminationOutcome outcome = EliminationOutcome::kExplained) {
  Elimination result;
  result.sites = {0};
  result.outcome = outcome;
  result.any_order = 38;
  result.hypotheses = std::move(hypotheses);
  return result;
}

Diagnosis diagnosis(const Elimination& alone, const Elimination& joint) {
  Diagnosis diagnosis;
  DiagnosedSite site;
  site.summary.id = "site";
  site.summary.weight_offset_text = "0";
  site.summary.weight_dtype = "bf16";
  site.x_format = &kBf16;
  site.y_format = &kBf16;
  site.declared = Epsilon{};
  site.declared->text = "1e-05";
  site.result = alone;
  diagnosis.sites.push_back(site);
  diagnosis.groups.push_back({{0}, joint});
  return diagnosis;
}

FunctionEvidence evidence(const Elimination& alone) {
  return evidence_of(diagnosis(alone, alone), 0);
}

TEST(FunctionEvidence, TheDeclaredEpsilonFits) {
  const FunctionEvidence found =
      evidence(elimination({declared_function(HypothesisStatus::kSurvives, 16)}));
  EXPECT_EQ(found.declared, Tristate::kSame);
  EXPECT_TRUE(found.explained);
  // 1.01 (6 2^-8 + (38 + 8) 2^-24)
  EXPECT_NEAR(found.largest_error, 0.02367464, 1e-8);
}

TEST(FunctionEvidence, TheDeclaredEpsilonIsRefuted) {
  const FunctionEvidence found =
      evidence(elimination({declared_function(HypothesisStatus::kSurvives, 1171)}));
  EXPECT_EQ(found.declared, Tristate::kDiffers);
  EXPECT_EQ(found.code, "function");
  EXPECT_EQ(found.text,
            "epsilon 1e-05 inside the root is impossible, under any order of the sum and wherever "
            "it is rounded to a format of its tensors: epsilon 6.92e-07 .. 1.28e-06 fits");
}

TEST(FunctionEvidence, BetweenTheTwoBoundsNothingIsDecided) {
  for (const HypothesisStatus status :
       {HypothesisStatus::kSurvives, HypothesisStatus::kImplausible}) {
    const FunctionEvidence found = evidence(
        elimination({other_function("mean_square", "outside"), declared_function(status, 38)}));
    EXPECT_EQ(found.declared, Tristate::kUndecided);
    EXPECT_NE(found.text.find("worse than in every known order"), std::string::npos) << found.text;
  }
}

TEST(FunctionEvidence, AnotherPlacementIsAnotherFunction) {
  const FunctionEvidence found =
      evidence(elimination({other_function("mean_square", "outside"),
                            declared_function(HypothesisStatus::kRefuted, kInfinity)}));
  EXPECT_EQ(found.declared, Tristate::kDiffers);
  EXPECT_NE(found.text.find("what fits is mean_square, epsilon outside, 6.92e-07 .. 1.28e-06"),
            std::string::npos)
      << found.text;
}

TEST(FunctionEvidence, AnotherOffsetIsAnotherFunction) {
  EliminatedHypothesis other = declared_function(HypothesisStatus::kSurvives, 1);
  other.hypothesis.weight_offset = "1";
  EXPECT_EQ(evidence(elimination({other})).declared, Tristate::kDiffers);
}

TEST(FunctionEvidence, AStatisticOf16BitsIsRejectedForItsPrecision) {
  const FunctionEvidence found =
      evidence(elimination({other_function("rstd_in_input_dtype", "inside"),
                            declared_function(HypothesisStatus::kRefuted, kInfinity)}));
  EXPECT_EQ(found.declared, Tristate::kDiffers);
  EXPECT_EQ(found.code, "precision");
}

TEST(FunctionEvidence, WhatNothingExplainsIsNotRefuted) {
  const FunctionEvidence found =
      evidence(elimination({declared_function(HypothesisStatus::kRefuted, kInfinity)},
                           EliminationOutcome::kUnexplained));
  EXPECT_EQ(found.declared, Tristate::kUndecided);
  EXPECT_NE(found.text.find("no function that is known"), std::string::npos) << found.text;
}

TEST(FunctionEvidence, StraysAreNeverAccepted) {
  EliminatedHypothesis one = declared_function(HypothesisStatus::kSurvives, 1);
  one.stray_count = 2;
  const FunctionEvidence found = evidence(elimination({one}));
  EXPECT_EQ(found.declared, Tristate::kUndecided);
  EXPECT_NE(found.text.find("2 elements are left out"), std::string::npos) << found.text;
}

TEST(FunctionEvidence, TheGroupRefutesWhatASiteAloneCannot) {
  const Elimination fits = elimination({declared_function(HypothesisStatus::kSurvives, 1)});
  const Elimination refutes = elimination({declared_function(HypothesisStatus::kSurvives, 1171)});
  EXPECT_EQ(evidence_of(diagnosis(fits, refutes), 0).declared, Tristate::kDiffers);
  EXPECT_EQ(evidence_of(diagnosis(refutes, fits), 0).declared, Tristate::kDiffers);
  // A group that nothing explains blames none of its sites.
  const Elimination nothing = elimination(
      {declared_function(HypothesisStatus::kRefuted, kInfinity)}, EliminationOutcome::kUnexplained);
  EXPECT_EQ(evidence_of(diagnosis(fits, nothing), 0).declared, Tristate::kSame);
}

TEST(FunctionEvidence, ASiteThatIsNoCaptureIsNotJudged) {
  Diagnosis one = diagnosis(elimination({declared_function(HypothesisStatus::kSurvives, 1)}), {});
  one.sites[0].health.problems.push_back({"not-a-pair", "x of another site"});
  const FunctionEvidence found = evidence_of(one, 0);
  EXPECT_EQ(found.declared, Tristate::kUndecided);
  EXPECT_EQ(found.code, "not-a-pair");
}

// A result with outputs that are not all correctly rounded, the largest 1.5 ulp off.
SubjectResult observed() {
  SubjectResult result;
  result.candidate = "observed";
  result.dtype = "bf16";
  result.comparison.expected = 4;
  result.comparison.compared = 4;
  result.comparison.correctly_rounded = 3;
  result.comparison.ulp.any = true;
  result.comparison.ulp.value = Wide(BigDyadic(1.5));
  result.equality.source = "a.recipe";
  result.equality.bits = {3, 4};
  result.equality.rounding = Tristate::kSame;
  return result;
}

std::string settled(const FunctionEvidence& evidence, SubjectResult result) {
  settle_function(evidence, result);
  CaseSummary summary;
  summary.id = "case";
  const Tristate function = result.equality.function;
  judge_result(summary, {}, Level::kFunction, result);
  std::string text(name_of(function));
  text += " " + std::string(name_of(result.verdict));
  for (const Reason& reason : result.reasons) text += " " + reason.code;
  return text;
}

TEST(SettleFunction, WhatEliminationSaysIsWhatTheVerdictSays) {
  FunctionEvidence evidence;
  evidence.text = "nothing is known";
  EXPECT_EQ(settled(evidence, observed()), "undecided inconclusive function");
  evidence.declared = Tristate::kDiffers;
  EXPECT_EQ(settled(evidence, observed()), "differs rejected function");
  evidence.code = "precision";
  EXPECT_EQ(settled(evidence, observed()), "differs rejected precision");
  evidence.declared = Tristate::kSame;
  EXPECT_EQ(settled(evidence, observed()), "same accepted");
}

TEST(SettleFunction, WhereTheSourceDoesNotExplainTheRows) {
  SubjectResult result = observed();
  result.equality.rounding = Tristate::kDiffers;
  FunctionEvidence evidence;
  evidence.declared = Tristate::kSame;
  evidence.largest_error = 1.5 * 0x1p-8;
  EXPECT_EQ(settled(evidence, result), "undecided inconclusive function");
  evidence.explained = true;
  EXPECT_EQ(settled(evidence, result), "same accepted");
  evidence.explained = false;
  result.equality.explained_by = "as another.recipe rounds";
  EXPECT_EQ(settled(evidence, result), "same accepted");
  // An element of a row that was not eliminated is too far off.
  evidence.largest_error = 1.4375 * 0x1p-8;
  EXPECT_EQ(settled(evidence, result), "undecided inconclusive function");
  evidence.largest_error = kInfinity;
  EXPECT_EQ(settled(evidence, result), "undecided inconclusive function");
}

TEST(SettleFunction, TheSumIsHeldAgainstTheSource) {
  SubjectResult result = observed();
  result.tensor = OutputTensor::kResidualOut;
  FunctionEvidence evidence;
  evidence.declared = Tristate::kDiffers;
  EXPECT_EQ(settled(evidence, result), "same accepted");
  result.equality.rounding = Tristate::kDiffers;
  EXPECT_EQ(settled(evidence, result), "undecided inconclusive function");
}

TEST(RowsToEliminate, AllOfThemAsLongAsTheyAreFew) {
  JudgedCase judged;
  judged.value = case_of({.x = {{"1", "7"}, {"2", "3"}}, .epsilon = "1"});
  EXPECT_EQ(rows_to_eliminate(judged, std::size_t{1} << 21, 1), (std::vector<std::size_t>{0, 1}));
}

// 2^21 elements of rows of 2^18 are 8 rows, so that the least number of rows holds: 16.
TEST(RowsToEliminate, OfManyTheSpreadAndTheLeast) {
  constexpr std::size_t kWidth = std::size_t{1} << 18;
  constexpr std::size_t kRows = 40;
  Tensor x(kBf16, kRows, kWidth);
  for (std::size_t row = 0; row < kRows; ++row) {
    // Rows 20 to 27 have the least mean square, 0.
    const double value = row >= 20 && row < 28 ? 0.0 : 1.0;
    x.set(row, 0, *read_code(std::to_string(value), kBf16));
  }
  JudgedCase judged;
  judged.value = case_of({.x = {{"1"}}, .epsilon = "1"});
  judged.value.x = std::move(x).share();
  // Eight at even distances: floor(i 39 / 7).
  EXPECT_EQ(rows_to_eliminate(judged, std::size_t{1} << 21, 1),
            (std::vector<std::size_t>{0, 5, 11, 16, 20, 21, 22, 23, 24, 25, 26, 27, 33, 39}));
  std::vector<std::size_t> chosen(kRows - 1);
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i + 1;
  judged.chosen_rows = chosen;
  const std::vector<std::size_t> rows = rows_to_eliminate(judged, std::size_t{1} << 21, 1);
  EXPECT_EQ(rows.size(), 16U);
  EXPECT_EQ(rows.front(), 1U);
  EXPECT_EQ(rows.back(), 39U);
}

}  // namespace
}  // namespace normcert
