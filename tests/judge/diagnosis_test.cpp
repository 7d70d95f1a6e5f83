// How a verdict, an outcome and an exit status come of what survives at sites and for groups.
#include "judge/diagnosis.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace normcert {
namespace {

EliminatedHypothesis survivor(const std::string& statistic, const std::string& placement) {
  EliminatedHypothesis one;
  one.hypothesis = {statistic, placement, "before_weight", "0", "used", ""};
  one.status = HypothesisStatus::kSurvives;
  one.epsilon = {9e-6, 1.1e-5};
  one.best_epsilon = 1.02e-5;
  return one;
}

Elimination elimination(EliminationOutcome outcome, DeclaredOutcome declared,
                        std::vector<EliminatedHypothesis> hypotheses) {
  Elimination result;
  result.sites = {0};
  result.outcome = outcome;
  result.declared = declared;
  result.hypotheses = std::move(hypotheses);
  return result;
}

// One site and its group, both with the same result.
Diagnosis diagnosis_of(const Elimination& result, bool is_declared = true) {
  Diagnosis diagnosis;
  DiagnosedSite site;
  site.summary.id = "norm";
  site.summary.weight_offset_text = "0";
  if (is_declared) site.declared = Epsilon{"1e-5", 1e-5};
  site.result = result;
  diagnosis.sites.push_back(std::move(site));
  diagnosis.groups.push_back({{0}, result});
  conclude(diagnosis);
  return diagnosis;
}

TEST(Diagnosis, OneFunctionThatFits) {
  const Diagnosis diagnosis = diagnosis_of(elimination(
      EliminationOutcome::kExplained, DeclaredOutcome::kFits, {survivor("mean_square", "inside")}));
  EXPECT_EQ(diagnosis.value, DiagnosisValue::kExplained);
  EXPECT_EQ(diagnosis.declared, DeclaredOutcome::kFits);
  EXPECT_EQ(diagnosis.exit_status, 0);
  EXPECT_TRUE(diagnosis.reasons.empty());
}

TEST(Diagnosis, AnotherFunctionBesideItIsUnknown) {
  const Diagnosis diagnosis = diagnosis_of(
      elimination(EliminationOutcome::kAmbiguous, DeclaredOutcome::kFits,
                  {survivor("mean_square", "inside"), survivor("mean_square", "outside")}));
  EXPECT_EQ(diagnosis.value, DiagnosisValue::kAmbiguous);
  EXPECT_EQ(diagnosis.exit_status, 3);
}

TEST(Diagnosis, ImplausibleOnesAreNoOtherFunction) {
  EliminatedHypothesis outside = survivor("mean_square", "outside");
  outside.status = HypothesisStatus::kImplausible;
  EXPECT_EQ(diagnosis_of(elimination(EliminationOutcome::kExplained, DeclaredOutcome::kFits,
                                     {survivor("mean_square", "inside"), outside}))
                .exit_status,
            0);
}

TEST(Diagnosis, ImpossibleRejectsWhateverElseIsOpen) {
  const Diagnosis diagnosis = diagnosis_of(
      elimination(EliminationOutcome::kAmbiguous, DeclaredOutcome::kImpossible,
                  {survivor("mean_square", "inside"), survivor("mean_square", "outside")}));
  EXPECT_EQ(diagnosis.declared, DeclaredOutcome::kImpossible);
  EXPECT_EQ(diagnosis.exit_status, 1);
  ASSERT_EQ(diagnosis.reasons.size(), 1U);
  EXPECT_EQ(diagnosis.reasons.front().code, "function");
}

// Its order is so free that it says nothing of the declared function, whatever fits.
TEST(Diagnosis, ASumInTheInputsFormatAloneLeavesItUnknown) {
  for (const DeclaredOutcome declared : {DeclaredOutcome::kUndecided, DeclaredOutcome::kFits}) {
    const Diagnosis diagnosis =
        diagnosis_of(elimination(EliminationOutcome::kExplained, declared,
                                 {survivor("accumulated_in_input_dtype", "inside")}));
    EXPECT_EQ(diagnosis.exit_status, 3);
    ASSERT_EQ(diagnosis.reasons.size(), 1U);
    EXPECT_EQ(diagnosis.reasons.front().code, "last-resort");
  }
}

TEST(Diagnosis, RowsThatNoFunctionGivesLeaveItUnknown) {
  const Elimination fits = elimination(EliminationOutcome::kExplained, DeclaredOutcome::kFits,
                                       {survivor("mean_square", "inside")});
  Diagnosis diagnosis;
  DiagnosedSite site;
  site.summary.id = "norm";
  site.declared = Epsilon{"1e-5", 1e-5};
  site.result = fits;
  site.special_rows.faults.at(static_cast<std::size_t>(RowFault::kNan)).add(12);
  diagnosis.sites.push_back(std::move(site));
  diagnosis.groups.push_back({{0}, fits});
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.exit_status, 3);
  EXPECT_EQ(diagnosis.declared, DeclaredOutcome::kFits);
  ASSERT_EQ(diagnosis.reasons.size(), 1U);
  EXPECT_EQ(diagnosis.reasons.front().code, "rows");
  EXPECT_NE(diagnosis.reasons.front().text.find("the first is 12"), std::string::npos);
}

TEST(Diagnosis, OneSiteIsEnoughToReject) {
  Diagnosis diagnosis;
  for (const DeclaredOutcome outcome : {DeclaredOutcome::kFits, DeclaredOutcome::kImpossible}) {
    DiagnosedSite site;
    site.declared = Epsilon{"1e-5", 1e-5};
    site.result =
        elimination(EliminationOutcome::kExplained, outcome, {survivor("mean_square", "inside")});
    diagnosis.sites.push_back(std::move(site));
  }
  diagnosis.groups.push_back(
      {{0, 1}, elimination(EliminationOutcome::kUnexplained, DeclaredOutcome::kUndecided, {})});
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.value, DiagnosisValue::kUnexplained);
  EXPECT_EQ(diagnosis.exit_status, 1);
}

TEST(Diagnosis, NothingDeclaredNothingJudged) {
  const Elimination explained =
      elimination(EliminationOutcome::kExplained, DeclaredOutcome::kNotDeclared,
                  {survivor("variance", "inside")});
  EXPECT_EQ(diagnosis_of(explained, false).exit_status, 0);
  Elimination open = explained;
  open.outcome = EliminationOutcome::kAmbiguous;
  EXPECT_EQ(diagnosis_of(open, false).exit_status, 3);
}

TEST(Diagnosis, StraysAndSitesThatAreNoCapturesLeaveItUnknown) {
  EliminatedHypothesis with_stray = survivor("mean_square", "inside");
  with_stray.stray_count = 1;
  EXPECT_EQ(diagnosis_of(
                elimination(EliminationOutcome::kExplained, DeclaredOutcome::kFits, {with_stray}))
                .exit_status,
            3);
  Diagnosis diagnosis = diagnosis_of(elimination(
      EliminationOutcome::kExplained, DeclaredOutcome::kFits, {survivor("mean_square", "inside")}));
  DiagnosedSite broken;
  broken.summary.id = "broken";
  broken.health.problems.push_back({"not-a-pair", "rows are shifted"});
  diagnosis.sites.push_back(broken);
  diagnosis.reasons.clear();
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.declared, DeclaredOutcome::kFits);
  EXPECT_EQ(diagnosis.exit_status, 3);
  ASSERT_EQ(diagnosis.reasons.size(), 1U);
  EXPECT_EQ(diagnosis.reasons.front().code, "not-a-pair");
}

TEST(Diagnosis, WhatNothingExplainsRejectsNothing) {
  for (const EliminationOutcome outcome :
       {EliminationOutcome::kUnexplained, EliminationOutcome::kNothingToJudge}) {
    const Diagnosis diagnosis = diagnosis_of(elimination(outcome, DeclaredOutcome::kUndecided, {}));
    EXPECT_EQ(diagnosis.value, DiagnosisValue::kUnexplained);
    EXPECT_EQ(diagnosis.declared, DeclaredOutcome::kUndecided);
    EXPECT_EQ(diagnosis.exit_status, 3);
    ASSERT_EQ(diagnosis.reasons.size(), 1U);
    EXPECT_EQ(diagnosis.reasons.front().code, "unexplained");
  }
}

TEST(Diagnosis, OutputsAloneAreAmbiguous) {
  Diagnosis diagnosis;
  DiagnosedSite site;
  site.declared = Epsilon{"1e-5", 1e-5};
  site.outputs_only = OutputsOnly{};
  diagnosis.sites.push_back(std::move(site));
  conclude(diagnosis);
  EXPECT_EQ(diagnosis.value, DiagnosisValue::kAmbiguous);
  EXPECT_EQ(diagnosis.declared, DeclaredOutcome::kUndecided);
  EXPECT_EQ(diagnosis.exit_status, 3);
  ASSERT_EQ(diagnosis.reasons.size(), 1U);
  EXPECT_EQ(diagnosis.reasons.front().code, "no-input");
}

TEST(Diagnosis, TheFittingEpsilonIsAWellKnownOneWhereThereIsOne) {
  EliminatedHypothesis one = survivor("mean_square", "inside");
  one.slack_of = {{"declared", 1e-6, 100}, {"1e-6", 1e-6, 100}, {"1e-5", 1e-5, 1}};
  EXPECT_EQ(fitting_epsilon(one)->text, "1e-5");
  one.slack_of.clear();
  EXPECT_EQ(fitting_epsilon(one)->text, "1.02e-05");
  one.has_epsilon = false;
  EXPECT_FALSE(fitting_epsilon(one));
}

// Row (1, 7): mean square 25, with epsilon 39 the exact result is (1/8, 7/8).
TEST(UsualTests, OfARowThatIsKnownByHand) {
  const auto tensor = [](const std::vector<float>& values) {
    Tensor made(kFp32, 1, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) made.set(0, i, code_of(values[i]));
    return std::move(made).share();
  };
  Case value;
  value.x = tensor({1, 7});
  const UsualTests right = usual_tests(value, 0, tensor({0.125F, 0.875F}), "39", 39);
  EXPECT_EQ(right.elements, 2U);
  EXPECT_EQ(right.beyond, 0U);
  EXPECT_EQ(right.nmse(), 0);
  EXPECT_EQ(right.one_minus_cosine(), 0);
  // Twice the row: every element off, and a cosine that sees nothing.
  const UsualTests doubled = usual_tests(value, 0, tensor({0.25F, 1.75F}), "39", 39);
  EXPECT_EQ(doubled.beyond, 2U);
  EXPECT_EQ(doubled.nmse(), 1);
  EXPECT_NEAR(doubled.one_minus_cosine(), 0, 1e-15);
  // (7, -1) is orthogonal to (1, 7).
  EXPECT_NEAR(usual_tests(value, 0, tensor({7, -1}), "39", 39).one_minus_cosine(), 1, 1e-12);
  EXPECT_EQ(right.rtol, 1.3e-6);
}

}  // namespace
}  // namespace normcert
