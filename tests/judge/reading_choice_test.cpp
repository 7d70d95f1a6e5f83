// Norms of float32 dumps, some with so few numbers that nobody can say in which format they were
// computed: no right one is accused, and a wrong one still is where every reading refutes it.
#include "judge/reading_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "emulation/emulate.hpp"
#include "inference/stored_format.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidth = 64;
constexpr double kEpsilon = 1e-5;

struct Made {
  const FloatFormat* format = &kBf16;         // of x
  const FloatFormat* weight_format = &kBf16;  // in which the output is, where it is wider
  std::size_t rows = 2;
  std::size_t numbers = kWidth;  // of a row that are not zero
  double epsilon = kEpsilon;     // that the port has
  CastPoint cast = CastPoint::kBeforeWeight;
  std::uint64_t seed = 1;
  bool constant = false;  // one number throughout a row
  double scale = 1;
};

TensorView as_binary32(const TensorView& tensor) { return held(stored_as(tensor, kFp32)); }

// Mean squares from a tenth of epsilon on, as the port computes; then its float32 dump.
JudgedCase dump_of(const Made& made) {
  const RandomStream random(made.seed, "reading choice");
  Tensor x(*made.format, made.rows, kWidth);
  Tensor weight(*made.weight_format, 1, kWidth);
  for (std::size_t row = 0; row < made.rows; ++row) {
    const double share = static_cast<double>(made.numbers) / kWidth;
    const double rms = made.scale * std::sqrt(kEpsilon * (0.1 + static_cast<double>(row)) / share);
    for (std::size_t k = 0; k < made.numbers; ++k) {
      const std::size_t i = (k * kWidth / made.numbers + row) % kWidth;
      const double number =
          made.constant ? 1 + 0.1 * random.normal(row) : random.normal(row * kWidth + k);
      x.set(row, i, convert(code_of(rms * number), *made.format));
    }
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double w = 1 + 0.25 * random.normal(1'000'000 + i);
    weight.set(0, i, convert(code_of(w), *made.weight_format));
  }
  Recipe recipe;
  recipe.cast = made.cast;
  recipe.output = OutputFormat::kPromote;
  BlockInput input{.x = x.view(), .weight = weight.view()};
  input.epsilon = made.epsilon;
  JudgedCase judged;
  judged.observed = Outputs{as_binary32(emulate_block(recipe, input).y.view()), std::nullopt};
  judged.value.x = as_binary32(x.view());
  judged.value.weight = as_binary32(weight.view());
  judged.value.weight_offset_given = true;
  judged.value.weight_offset.text = "0";
  judged.value.epsilon = {"1e-5", kEpsilon};
  return judged;
}

struct Chosen {
  ReadingChoice choice;
  EliminationResult result;
  std::deque<JudgedCase> read;
};

Chosen chosen(const std::vector<JudgedCase>& stored, const FormatsOfDump& stated = {}) {
  Chosen chosen;
  std::vector<DumpedNorm> norms;
  std::vector<ObservedNorm> observed;
  for (const JudgedCase& one : stored) {
    JudgedCase& read = chosen.read.emplace_back(one);
    narrow_dump(read, stated);
    norms.push_back({"norm", &one, &read});
    observed.push_back({"norm", &read.value, *read.observed->y});
  }
  chosen.result = eliminate(observed, {});
  chosen.choice = choose_reading(norms, stated, {}, chosen.result);
  return chosen;
}

// Both ways to round, both formats; as it is stored each of them is refuted, or unexplained.
TEST(ReadingChoice, FewNumbersOfARightPortAreExcusedByTheirFormat) {
  std::size_t doubted = 0;
  for (const FloatFormat* const format : {&kBf16, &kFp16}) {
    for (const CastPoint cast : {CastPoint::kBeforeWeight, CastPoint::kAfterWeight}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const JudgedCase dump = dump_of(
            {.format = format, .weight_format = format, .numbers = 6, .cast = cast, .seed = seed});
        ASSERT_EQ(narrower_format_of(*dump.observed->y), nullptr);
        const Chosen one = chosen({dump});
        EXPECT_NE(one.result.joint.declared, DeclaredOutcome::kImpossible) << format->name << seed;
        EXPECT_FALSE(one.choice.adopted);
        if (!one.choice.alone[0]) continue;
        ++doubted;
        EXPECT_TRUE(one.choice.alone[0]->keeps_statistic);
        EXPECT_FALSE(one.choice.alone[0]->reading.shown);
        EXPECT_NE(one.choice.alone[0]->reading.option.find("y=" + std::string(format->name)),
                  std::string::npos)
            << one.choice.alone[0]->reading.option;
        EXPECT_NE(words_of(*one.choice.alone[0]).find("too few of them"), std::string::npos);
        // What the sentence asks for settles it.
        const FormatsOfDump stated{.x = format, .y = format};
        EXPECT_EQ(chosen({dump}, stated).result.joint.declared, DeclaredOutcome::kFits);
      }
    }
  }
  EXPECT_EQ(doubted, 20U);
}

TEST(ReadingChoice, TheFormatThatIsStatedIsTheOnlyOne) {
  const JudgedCase dump = dump_of({.numbers = 6});
  const FormatsOfDump stated{.x = &kFp32, .weight = &kFp32, .y = &kFp32};
  const Chosen one = chosen({dump}, stated);
  EXPECT_FALSE(one.choice.alone[0]);
  EXPECT_TRUE(other_readings(dump, dump, stated).empty());
}

// The weight in binary32 makes the outputs numbers of binary32; that x r was rounded before shows
// in no tensor's format.
TEST(ReadingChoice, ACastToTheFormatOfXIsFoundWhereTheWeightIsWide) {
  for (const FloatFormat* const format : {&kBf16, &kFp16}) {
    const Made made{.format = format, .weight_format = &kFp32};
    const JudgedCase dump = dump_of(made);
    ASSERT_EQ(narrower_format_of(*dump.observed->y), nullptr);
    const Chosen right = chosen({dump});
    ASSERT_TRUE(right.choice.adopted);
    EXPECT_EQ(right.choice.adopted->option, "x=" + std::string(format->name));
    EXPECT_EQ(right.result.joint.declared, DeclaredOutcome::kFits);
    EXPECT_EQ(right.read[0].value.x.format->name, format->name);
    EXPECT_EQ(right.read[0].observed->y->format->name, kFp32.name);
    Made wrong = made;
    wrong.epsilon = 1e-6;
    const Chosen accused = chosen({dump_of(wrong)});
    EXPECT_TRUE(accused.choice.adopted);
    EXPECT_EQ(accused.result.joint.declared, DeclaredOutcome::kImpossible);
  }
}

TEST(ReadingChoice, WhatEveryReadingRefutesIsAccused) {
  for (const std::size_t numbers : {std::size_t{6}, kWidth}) {
    const Chosen one = chosen({dump_of({.numbers = numbers, .epsilon = 1e-3})});
    EXPECT_EQ(one.result.joint.declared, DeclaredOutcome::kImpossible) << numbers;
    EXPECT_FALSE(one.choice.alone[0]) << numbers;
    EXPECT_FALSE(one.choice.joint) << numbers;
  }
  // Numbers that fit nothing narrower are asked in one reading alone.
  const JudgedCase wide = dump_of(
      {.format = &kFp32, .weight_format = &kFp32, .epsilon = 1e-6, .cast = CastPoint::kNone});
  EXPECT_TRUE(other_readings(wide, wide, {}).empty());
  EXPECT_EQ(chosen({wide}).result.joint.declared, DeclaredOutcome::kImpossible);
}

// A norm that is excused alone excuses the norms together, which cannot be asked in its reading.
TEST(ReadingChoice, OneNormsFewNumbersDoNotAccuseTheOthers) {
  const JudgedCase few = dump_of({.numbers = 6});
  const JudgedCase wide =
      dump_of({.format = &kFp32, .weight_format = &kFp32, .cast = CastPoint::kNone, .seed = 2});
  const Chosen both = chosen({few, wide});
  ASSERT_EQ(both.result.alone.size(), 2U);
  EXPECT_TRUE(both.choice.alone[0]);
  EXPECT_FALSE(both.choice.alone[1]);
  EXPECT_EQ(both.result.alone[1].declared, DeclaredOutcome::kFits);
  for (const Elimination& one : both.result.alone) {
    EXPECT_NE(one.declared, DeclaredOutcome::kImpossible);
  }
  EXPECT_NE(both.result.joint.declared, DeclaredOutcome::kImpossible);
}

// x of one norm fits fp16 and that of the other does not, so that one cast before the weight and
// the other had nothing to cast: they are not alike, and together refute what each of them fits.
TEST(ReadingChoice, NormsThatMayNotBeAlikeAreNotAccusedTogether) {
  std::size_t accused = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    JudgedCase few = dump_of(
        {.format = &kFp16, .weight_format = &kFp32, .rows = 1, .seed = seed, .constant = true});
    JudgedCase wide = dump_of({.format = &kFp32,
                               .weight_format = &kFp32,
                               .rows = 1,
                               .cast = CastPoint::kNone,
                               .seed = seed + 100,
                               .scale = 1000});
    std::vector<ObservedNorm> norms;
    for (JudgedCase* const one : {&few, &wide}) {
      TensorView& y = *one->observed->y;
      y = as_binary32(stored_as(y, kFp16));
      norms.push_back({"norm", &one->value, stored_as(y, kFp16)});
    }
    const DeclaredOutcome together = eliminate(norms, {}).joint.declared;
    accused += together == DeclaredOutcome::kImpossible ? 1U : 0U;
    const Chosen both = chosen({few, wide}, {.y = &kFp16});
    EXPECT_NE(both.result.joint.declared, DeclaredOutcome::kImpossible) << seed;
    for (const Elimination& alone : both.result.alone) {
      EXPECT_NE(alone.declared, DeclaredOutcome::kImpossible) << seed;
    }
  }
  EXPECT_GE(accused, 1U);
}

TEST(ReadingChoice, NothingIsChangedWhereTheDeclaredFunctionFits) {
  const Chosen one = chosen({dump_of({})});
  EXPECT_EQ(one.result.joint.declared, DeclaredOutcome::kFits);
  EXPECT_FALSE(one.choice.adopted);
  EXPECT_FALSE(one.choice.alone[0]);
}

}  // namespace
}  // namespace normcert
