// Elimination on outputs of real frameworks: what made them survives, nothing else does, and the
// epsilon is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "captures/shipped_captures.hpp"
#include "catalogue/recipes.hpp"
#include "inference/elimination.hpp"
#include "numeric/random.hpp"

namespace normcert {
namespace {

std::vector<const Recipe*> all_recipes() {
  std::vector<const Recipe*> list;
  for (const Recipe& recipe : catalogue_recipes()) list.push_back(&recipe);
  return list;
}

Case case_of(const Capture& capture) {
  Case value;
  value.x = capture.input.x;
  value.residual = capture.input.residual;
  value.weight = capture.input.weight;
  value.weight_offset.binary64 = capture.input.weight_offset;
  if (capture.epsilon_given) {
    value.epsilon.binary64 = capture.input.epsilon;
    value.epsilon.text = "declared";
  }
  return value;
}

Elimination eliminated(const Case& value, const TensorView& y) {
  const ObservedNorm norm{.site = "norm", .value = &value, .y = y};
  return eliminate({&norm, 1}, {.recipes = all_recipes(), .threads = 2}).joint;
}

const EliminatedHypothesis* survivor_of(const Elimination& result, const std::string& recipe) {
  for (const EliminatedHypothesis& one : result.hypotheses) {
    if (one.status == HypothesisStatus::kSurvives &&
        std::ranges::find(one.recipes, recipe) != one.recipes.end()) {
      return &one;
    }
  }
  return nullptr;
}

std::vector<Hypothesis> survivors(const Elimination& result) {
  std::vector<Hypothesis> list;
  for (const EliminatedHypothesis& one : result.hypotheses) {
    if (one.status == HypothesisStatus::kSurvives) list.push_back(one.hypothesis);
  }
  return list;
}

// Captures of ordinary rows alone, whose mean square is far above epsilon.
bool shows_no_epsilon(const RecipeClaim& claim) {
  return claim.capture.ends_with("_fused") || claim.capture.ends_with("kernel.triton.llama");
}

TEST(EliminationCaptures, WhatMadeThemSurvivesAndNothingElse) {
  std::size_t captures = 0;
  for (const RecipeClaim& claim : claims_without_gate()) {
    SCOPED_TRACE(claim.capture + " by " + claim.recipe);
    const Capture capture = read_capture(claim.capture);
    const Case value = case_of(capture);
    const Elimination result = eliminated(value, capture.y);
    const EliminatedHypothesis* one = survivor_of(result, claim.recipe);
    ASSERT_NE(one, nullptr);
    // ONNX Runtime adds a thousand squares one after the other.
    const bool sequential = claim.implementation.starts_with("ort.");
    EXPECT_LE(one->least_slack, sequential ? 12.0 : 3.0);
    EXPECT_FALSE(result.with_strays);
    const double epsilon = for_recipe(capture, *find_recipe(claim.recipe)).input.epsilon;
    EXPECT_TRUE(one->epsilon.contains(epsilon) || one->format_limits);
    ++captures;
    if (shows_no_epsilon(claim)) {
      EXPECT_EQ(result.outcome, EliminationOutcome::kAmbiguous);
      EXPECT_EQ(result.declared, DeclaredOutcome::kFits);
      continue;
    }
    // One capture allows an inverse RMS rounded to bf16 beside a recipe that rounds everything.
    const bool twofold = claim.capture == "bf16-n64/formula.naive_lowp_rsqrt.cuda";
    EXPECT_EQ(result.outcome,
              twofold ? EliminationOutcome::kAmbiguous : EliminationOutcome::kExplained);
    const bool after = one->hypothesis.placement == "after_rsqrt";
    const double widest = after ? 1.22 : one->format_limits ? 1.061 : 1.01;
    EXPECT_LE(one->epsilon.high / one->epsilon.low, widest);
    if (!capture.epsilon_given) continue;
    const bool inside = one->hypothesis.placement == "inside";
    EXPECT_EQ(result.declared, inside ? DeclaredOutcome::kFits : DeclaredOutcome::kImpossible);
  }
  EXPECT_GE(captures, 100U);
}

TEST(EliminationCaptures, EpsilonThatNobodyGaveIsThatOfBinary32) {
  const Capture capture = read_capture("bf16-n64/torch.F_rms_norm.eps_none.cpu");
  const Case value = case_of(capture);
  const Elimination result = eliminated(value, capture.y);
  EXPECT_EQ(result.declared, DeclaredOutcome::kNotDeclared);
  const auto& found = result.hypotheses.front();
  EXPECT_GT(found.epsilon.low, 1.192e-7);
  EXPECT_LT(found.epsilon.high, 1.1922e-7);
  const auto named = std::ranges::find(found.slack_of, "eps(fp32)", &SlackOfEpsilon::name);
  ASSERT_NE(named, found.slack_of.end());
  EXPECT_LE(named->slack, found.known_orders);
}

// Where statistic, epsilon and root are rounded to binary16, the codes beside that of 1e-6 begin
// half a quantum, 2^-25, on either side of it: 16.5 and 17.5 times 2^-24.
TEST(EliminationCaptures, ANarrowEpsilonIsASetOfEqualBits) {
  const Capture capture = read_capture("fp16-n64/formula.naive_lowp_rsqrt.cpu");
  const Case value = case_of(capture);
  const Elimination result = eliminated(value, capture.y);
  const auto& found = result.hypotheses.front();
  EXPECT_TRUE(found.format_limits);
  EXPECT_NEAR(found.epsilon.low, 16.5 * 0x1p-24, 1e-12);
  EXPECT_NEAR(found.epsilon.high, 17.5 * 0x1p-24, 1e-12);
}

// How far a stray is from what was written: one code, which in binary32 the association of the
// products, the kind of the root and the last rounding of the sum may well have caused. There it is
// further than all of them together.
std::uint64_t codes_of_a_stray(const FloatFormat& format) { return format == kFp32 ? 16 : 1; }

// The element of a row that is greatest, further by that.
TEST(EliminationCaptures, OneStrayElementIsNamedAndChangesNothing) {
  std::size_t captures = 0;
  std::string last;
  for (const RecipeClaim& claim : claims_without_gate()) {
    if (claim.capture == last) continue;
    last = claim.capture;
    SCOPED_TRACE(claim.capture);
    const Capture capture = read_capture(claim.capture);
    const Case value = case_of(capture);
    const std::vector<Hypothesis> before = survivors(eliminated(value, capture.y));
    Tensor y(*capture.y.format, capture.y.rows, capture.y.width);
    std::ranges::copy(capture.y.bytes, y.bytes.begin());
    const std::size_t row = 1;
    std::size_t greatest = 0;
    for (std::size_t i = 0; i < y.width; ++i) {
      if (y.at(row, i).magnitude() > y.at(row, greatest).magnitude()) greatest = i;
    }
    Code changed = y.at(row, greatest);
    changed.bits += codes_of_a_stray(*y.format);
    y.set(row, greatest, changed);
    const Elimination result = eliminated(value, y.view());
    EXPECT_TRUE(result.with_strays);
    for (const EliminatedHypothesis& one : result.hypotheses) {
      if (one.status != HypothesisStatus::kSurvives) continue;
      EXPECT_EQ(one.stray_count, 1U);
      ASSERT_EQ(one.strays.size(), 1U);
      EXPECT_EQ(one.strays.front().row, row);
      EXPECT_EQ(one.strays.front().index, greatest);
    }
    const std::vector<Hypothesis> after = survivors(result);
    EXPECT_TRUE(std::ranges::is_permutation(before, after));
    ++captures;
  }
  EXPECT_GE(captures, 40U);
}

// Anywhere at all: what no element says (zero rows, overflown ones, subnormal numbers) cannot be
// noticed, and where two elements of a row differ the one set apart may be the other. But a stray
// never leaves nothing, and is never taken for a statistic in the input's format.
TEST(EliminationCaptures, AStrayAnywhereIsCounted) {
  const RandomStream random(20270115, "strays");
  std::size_t noticed = 0;
  std::size_t named = 0;
  std::size_t position = 0;
  std::string last;
  for (const RecipeClaim& claim : claims_without_gate()) {
    if (claim.capture == last) continue;
    last = claim.capture;
    SCOPED_TRACE(claim.capture);
    const Capture capture = read_capture(claim.capture);
    const Case value = case_of(capture);
    const std::vector<Hypothesis> before = survivors(eliminated(value, capture.y));
    for (int turn = 0; turn < 4; ++turn, ++position) {
      Tensor y(*capture.y.format, capture.y.rows, capture.y.width);
      std::ranges::copy(capture.y.bytes, y.bytes.begin());
      const std::size_t row = random.bits(2 * position) % y.rows;
      const std::size_t index = random.bits(2 * position + 1) % y.width;
      Code changed = y.at(row, index);
      changed.bits ^= codes_of_a_stray(*y.format);
      y.set(row, index, changed);
      const Elimination result = eliminated(value, y.view());
      const std::vector<Hypothesis> after = survivors(result);
      ASSERT_FALSE(after.empty());
      if (!result.with_strays) {
        EXPECT_TRUE(std::ranges::is_permutation(before, after));
        continue;
      }
      ++noticed;
      bool is_named = after.size() == before.size();
      for (const EliminatedHypothesis& one : result.hypotheses) {
        if (one.status != HypothesisStatus::kSurvives) continue;
        EXPECT_NE(std::ranges::find(before, one.hypothesis), before.end());
        ASSERT_EQ(one.stray_count, 1U);
        is_named = is_named && one.strays[0].row == row && one.strays[0].index == index;
      }
      named += is_named ? 1 : 0;
    }
  }
  EXPECT_GE(noticed * 5, position * 4);
  EXPECT_GE(named * 100, noticed * 98);
}

}  // namespace
}  // namespace normcert
