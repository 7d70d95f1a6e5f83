// The conforming set: every member runs, has one name and one meaning; what is merged gives the
// same bits, what is not differs.
#include "inference/conforming_set.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

std::vector<std::string> names_of(const RoundingSetting& setting) {
  std::vector<std::string> names;
  for (const RoundingClass& one : conforming_set(setting)) names.push_back(one.name);
  return names;
}

// Every setting of three formats, with weight and without, offset and residual.
std::vector<RoundingSetting> settings() {
  std::vector<RoundingSetting> list;
  constexpr const FloatFormat* kFormats[] = {&kFp32, &kBf16, &kFp16};
  constexpr const FloatFormat* kWeights[] = {&kFp32, &kBf16, &kFp16, nullptr};
  for (const FloatFormat* x : kFormats) {
    for (const FloatFormat* weight : kWeights) {
      for (const FloatFormat* y : kFormats) {
        for (const double offset : {0.0, 1.0}) {
          for (const bool residual : {false, true}) {
            list.push_back({x, weight, y, offset, residual});
          }
        }
      }
    }
  }
  return list;
}

TensorView random_row(const FloatFormat& format, std::size_t width, double center,
                      std::uint64_t seed) {
  const RandomStream random(seed, "row");
  Tensor row(format, 1, width);
  for (std::size_t i = 0; i < width; ++i) {
    row.set(0, i, round(dyadic_of(center + 0.3 * random.normal(i)), format));
  }
  return std::move(row).share();
}

BlockInput input_for(const RoundingSetting& setting, std::size_t width, std::uint64_t seed) {
  BlockInput input;
  input.x = random_row(*setting.x, width, 0, seed);
  if (setting.residual) input.residual = random_row(*setting.x, width, 0.4, seed + 1);
  const double center = setting.weight_offset == 0 ? 1.2 : 0.2;
  if (setting.weight != nullptr) {
    input.weight = random_row(*setting.weight, width, center, seed + 2);
  }
  input.weight_offset = setting.weight_offset;
  input.epsilon = 1e-5;
  return input;
}

bool same_outputs(const Recipe& a, const Recipe& b, const BlockInput& input) {
  const EmulatedBlock of_a = emulate_block(a, input);
  const EmulatedBlock of_b = emulate_block(b, input);
  for (std::size_t i = 0; i < input.x.width; ++i) {
    if (!same_bits(of_a.y.at(0, i), of_b.y.at(0, i))) return false;
  }
  return true;
}

TEST(ConformingSet, OfBfloat16WithoutAnOffset) {
  const std::vector<std::string> expected = {
      "conforming: cast before_weight, (x*r)*w",  "conforming: cast before_weight, (x/rms)*w",
      "conforming: cast after_weight, (x*r)*w",   "conforming: cast after_weight, x*(r*w)",
      "conforming: cast after_weight, (x*w)*r",   "conforming: cast after_weight, (x/rms)*w",
      "conforming: cast after_weight, (x*w)/rms", "conforming: cast after_weight, (w/rms)*x"};
  EXPECT_EQ(names_of({&kBf16, &kBf16, &kBf16, 0, false}), expected);
}

TEST(ConformingSet, InBinary32ThereIsNothingToCastTo) {
  const std::vector<std::string> expected = {"conforming: (x*r)*w",   "conforming: (x/rms)*w",
                                             "conforming: x*(r*w)",   "conforming: (x*w)*r",
                                             "conforming: (x*w)/rms", "conforming: (w/rms)*x"};
  EXPECT_EQ(names_of({&kFp32, &kFp32, &kFp32, 0, false}), expected);
  EXPECT_EQ(names_of({&kFp32, &kFp32, &kFp32, 0, true}), expected);
}

TEST(ConformingSet, WithoutAWeightThereIsNothingToAssociate) {
  const std::vector<std::string> expected = {"conforming: x*r", "conforming: x/rms"};
  EXPECT_EQ(names_of({&kBf16, nullptr, &kBf16, 0, false}), expected);
}

// Before: 2 associations of 3 sums; after: 6 of 2 sums, 2 with the exact one; each residual mode.
TEST(ConformingSet, CountsWithOffsetAndResidual) {
  EXPECT_EQ(names_of({&kBf16, &kBf16, &kBf16, 1, false}).size(), 2U * 3 + 6 * 2 + 2);
  EXPECT_EQ(names_of({&kBf16, &kBf16, &kBf16, 1, true}).size(), 3U * (2 * 3 + 6 * 2 + 2));
  // A weight of a third format is one more to cast to.
  EXPECT_EQ(names_of({&kBf16, &kFp16, &kBf16, 0, false}).size(), 2U + 2 + 6);
  EXPECT_EQ(names_of({&kBf16, &kFp32, &kBf16, 0, false}).size(), 2U + 6);
  // No recipe writes binary16 where x and weight are bfloat16.
  EXPECT_TRUE(names_of({&kBf16, &kBf16, &kFp16, 0, false}).empty());
  EXPECT_TRUE(names_of({&kFp64, &kFp64, &kFp64, 0, false}).empty());
}

TEST(ConformingSet, EveryMemberRunsAndHasItsOwnName) {
  std::size_t members = 0;
  for (const RoundingSetting& setting : settings()) {
    std::set<std::string> names;
    for (const RoundingClass& one : conforming_set(setting)) {
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
      EXPECT_FALSE(find_conflict(one.recipe)) << one.name;
      EXPECT_EQ(emulated_format(one.recipe, *setting.x, setting.weight), *setting.y);
      const auto again = rounding_class_of(one.recipe, setting);
      ASSERT_TRUE(again) << one.name;
      EXPECT_EQ(again->name, one.name);
      ++members;
    }
  }
  EXPECT_EQ(members, 1988U);
}

// Every recipe of the parameters that span the set, against the member that stands for it.
TEST(ConformingSet, WhatIsMergedGivesTheSameBits) {
  std::size_t merged = 0;
  for (const RoundingSetting& setting : settings()) {
    const BlockInput input = input_for(setting, 200, 7);
    for (const CastPoint cast : {CastPoint::kBeforeWeight, CastPoint::kBeforeWeightToWeightDtype,
                                 CastPoint::kAfterWeight, CastPoint::kNone}) {
      for (int association = 0; association < 8; ++association) {
        for (int offset = 0; offset < 3; ++offset) {
          for (int residual = 0; residual < 4; ++residual) {
            Recipe recipe;
            recipe.cast = cast;
            recipe.association = static_cast<Association>(association);
            if (divides_by_rms(recipe.association)) recipe.root.kind = RootKind::kDivideBySqrt;
            recipe.weight.form =
                setting.weight_offset == 0 ? WeightForm::kW : WeightForm::kOnePlusW;
            recipe.weight.offset_dtype = static_cast<OffsetFormat>(offset);
            recipe.residual = static_cast<ResidualMode>(residual);
            const auto one = rounding_class_of(recipe, setting);
            // 1/rms is another scalar of the class x*r: not the same bits, but a row of it.
            const bool reciprocal =
                setting.weight == nullptr && recipe.association == Association::kWOverRmsX;
            if (!one || reciprocal) continue;
            EXPECT_TRUE(same_outputs(recipe, one->recipe, input)) << one->name;
            ++merged;
          }
        }
      }
    }
  }
  EXPECT_EQ(merged, 5616U);
}

// In binary32 one row tells any two associations apart, and any two casts in every format.
TEST(ConformingSet, MembersDiffer) {
  std::size_t pairs = 0;
  for (const RoundingSetting& setting : settings()) {
    const BlockInput input = input_for(setting, 4000, 3);
    const std::vector<RoundingClass> set = conforming_set(setting);
    for (std::size_t a = 0; a < set.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Recipe& one = set[a].recipe;
        const Recipe& other = set[b].recipe;
        // A cast to 16 bits hides the association; without one binary32 shows it.
        const bool tells =
            *setting.y == kFp32 && one.cast == other.cast
                ? one.cast == CastPoint::kAfterWeight && one.association != other.association
                : one.cast != other.cast;
        if (!tells) continue;
        EXPECT_FALSE(same_outputs(one, other, input)) << set[a].name << " and " << set[b].name;
        ++pairs;
      }
    }
  }
  EXPECT_EQ(pairs, 25618U);
}

TEST(ConformingSet, WhatDiffersIsNamed) {
  const RoundingSetting setting{&kBf16, &kBf16, &kBf16, 1, false};
  Recipe recipe;
  recipe.weight.form = WeightForm::kOnePlusW;
  const auto before = rounding_class_of(recipe, setting);
  recipe.cast = CastPoint::kAfterWeight;
  recipe.weight.offset_dtype = OffsetFormat::kWeight;
  const auto after = rounding_class_of(recipe, setting);
  ASSERT_TRUE(before && after);
  using Words = std::vector<std::string>;
  EXPECT_EQ(distinguishing(*after, &*before, setting),
            (Words{"cast after_weight", "offset weight"}));
  EXPECT_EQ(distinguishing(*after, &*after, setting), Words{});
  EXPECT_EQ(distinguishing(*before, nullptr, setting),
            (Words{"cast before_weight", "(x*r)*w", "offset fp32"}));
}

TEST(ConformingSet, RecipesOutsideIt) {
  const RoundingSetting setting{&kBf16, &kBf16, &kBf16, 0, false};
  const auto outside = [&](auto change) {
    Recipe recipe;
    recipe.cast = CastPoint::kAfterWeight;
    change(recipe);
    return !rounding_class_of(recipe, setting).has_value();
  };
  EXPECT_FALSE(outside([](Recipe&) {}));
  EXPECT_FALSE(outside([](Recipe& r) { r.statistic.accumulate = Accumulation::kKahan; }));
  EXPECT_FALSE(outside([](Recipe& r) { r.root.kind = RootKind::kRsqrtApprox; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.root = {RootKind::kRsqrtApprox, {}, 3, 0}; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.rounding = StoreRounding::kTruncate; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.gate = GateMode::kAfter; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.weight.form = WeightForm::kOnePlusW; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.weight.form = WeightForm::kNone; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.output = OutputFormat::kBinary32; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.compute = ComputeFormat::kBinary64; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.cast = CastPoint::kEveryOp; }));
  EXPECT_TRUE(outside([](Recipe& r) { r.convert_inputs = InputConversion::kBinary16; }));
}

}  // namespace
}  // namespace normcert
