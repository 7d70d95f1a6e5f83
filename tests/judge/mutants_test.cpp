// Known defects as recipes: each can be run, differs from the right kernel where rows show it, and
// has no meaning where nothing could.
#include "judge/mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "emulation/emulate.hpp"
#include "judge/hand_case.hpp"
#include "judge/kernel_rows.hpp"

namespace normcert {
namespace {

// Small rows, so that every epsilon shows.
Case small_rows(const FloatFormat& format) {
  Case value = random_case(format, 64, 5);
  value.epsilon.text = "0.01";
  value.epsilon.binary64 = 0.01;
  return value;
}

std::vector<std::string> names_of(const MutantSet& set) {
  std::vector<std::string> names;
  for (const Mutant& mutant : set.mutants) names.push_back(mutant.name);
  return names;
}

std::string why(const MutantSet& set, const std::string& name) {
  const auto one = std::ranges::find(set.meaningless, name, &MeaninglessMutant::name);
  return one == set.meaningless.end() ? "" : one->why;
}

TEST(Mutants, EachNameStandsOnceWithAMeaningOrWithout) {
  for (const CastPoint cast : {CastPoint::kBeforeWeight, CastPoint::kAfterWeight}) {
    const MutantSet set = mutants_of(base_recipe(cast), small_rows(kBf16));
    std::vector<std::string> names = names_of(set);
    for (const MeaninglessMutant& one : set.meaningless) names.push_back(one.name);
    EXPECT_EQ(names.size(), 19U);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 19U);
  }
}

TEST(Mutants, EveryOneComputesSomethingElse) {
  for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
    const Case value = small_rows(*format);
    const Recipe base = base_recipe(CastPoint::kBeforeWeight);
    const TensorView right = outputs(base, value);
    const MutantSet set = mutants_of(base, value);
    EXPECT_GE(set.mutants.size(), *format == kFp32 ? 13U : 16U);
    for (const Mutant& mutant : set.mutants) {
      EXPECT_FALSE(find_conflict(mutant.recipe)) << mutant.name;
      Case other = value;
      other.epsilon.binary64 *= mutant.epsilon_factor;
      if (mutant.weight_offset) other.weight_offset.binary64 = *mutant.weight_offset;
      const TensorView y = outputs(mutant.recipe, other);
      EXPECT_FALSE(std::ranges::equal(y.bytes, right.bytes)) << mutant.name;
    }
  }
}

// Parameters that exclude a mutant's are made plain, not the mutant given up.
TEST(Mutants, BasesOfEveryKindHaveThem) {
  Recipe fused = base_recipe(CastPoint::kAfterWeight);
  fused.statistic.mean = MeanStep::kMultiplyReciprocal;
  fused.contract = {Contraction::kMeanWithEpsilon};
  Recipe dividing = base_recipe(CastPoint::kAfterWeight);
  dividing.root.kind = RootKind::kDivideBySqrt;
  dividing.association = Association::kXwOverRms;
  Recipe rsqrt = base_recipe(CastPoint::kAfterWeight);
  rsqrt.root.kind = RootKind::kRsqrtCorrect;
  for (const Recipe& base : {fused, dividing, rsqrt}) {
    ASSERT_FALSE(find_conflict(base));
    const std::vector<std::string> names = names_of(mutants_of(base, small_rows(kBf16)));
    for (const char* const name : {"epsilon_outside", "epsilon_after_rsqrt", "mean_subtracted",
                                   "cast_order_swapped", "inverse_rms_rounded"}) {
      EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
    }
  }
}

TEST(Mutants, WhatHasNoMeaningSaysWhy) {
  const Recipe base = base_recipe(CastPoint::kBeforeWeight);
  Case bare = small_rows(kBf16);
  bare.weight.reset();
  Recipe weightless = base;
  weightless.weight.form = WeightForm::kNone;
  weightless.association = Association::kXr;
  EXPECT_EQ(why(mutants_of(weightless, bare), "weight_ignored"), "there is no weight");
  EXPECT_EQ(why(mutants_of(weightless, bare), "cast_order_swapped"), "there is no weight");
  const MutantSet wide = mutants_of(base, small_rows(kFp32));
  EXPECT_EQ(why(wide, "inverse_rms_rounded"), "x is not narrower than binary32");
  EXPECT_EQ(why(wide, "offset_missing"), "the declared offset is 0");
  Case ones = small_rows(kBf16);
  ones.weight = tensor_of({std::vector<std::string>(64, "1")}, kBf16);
  EXPECT_EQ(why(mutants_of(base, ones), "weight_ignored"), "every gain is 1");
  EXPECT_NE(why(mutants_of(base, ones), "cast_order_swapped").find("power of two"),
            std::string::npos);
  Case zero = small_rows(kBf16);
  zero.epsilon.binary64 = 0;
  EXPECT_EQ(why(mutants_of(base, zero), "epsilon_x10"), "the declared epsilon is 0");
}

TEST(Mutants, AnOffsetCanBeMissingOrDoubled) {
  Recipe base = base_recipe(CastPoint::kAfterWeight);
  base.weight.form = WeightForm::kOnePlusW;
  const Case value = with_weights(small_rows(kBf16), kBf16, 1);
  const MutantSet set = mutants_of(base, value);
  const std::vector<std::string> names = names_of(set);
  EXPECT_NE(std::ranges::find(names, "offset_missing"), names.end());
  EXPECT_NE(std::ranges::find(names, "offset_doubled"), names.end());
  EXPECT_EQ(why(set, "offset_added"), "the declared offset is not 0");
}

TEST(Mutants, ThoseOfRoundingAreRequiredWhereRoundingIsAsked) {
  EXPECT_TRUE(is_required("epsilon_x10", false));
  EXPECT_TRUE(is_required("offset_doubled", false));
  EXPECT_FALSE(is_required("cast_order_swapped", false));
  EXPECT_TRUE(is_required("cast_order_swapped", true));
  EXPECT_FALSE(is_required("divisor_n_minus_1", true));
}

}  // namespace
}  // namespace normcert
