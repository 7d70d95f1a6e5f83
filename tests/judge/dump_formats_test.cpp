// In which formats a float32 dump is read, and in which it may be.
#include "judge/dump_formats.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "judge/hand_case.hpp"

namespace normcert {
namespace {

constexpr std::size_t kMany = 64;

// i times `unit`: 64 significands of up to 8 bits from i = 64 on.
TensorView steps(double unit, std::size_t count) {
  Tensor tensor(kFp32, 1, kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    tensor.set(0, i, code_of(static_cast<float>(unit * static_cast<double>(64 + i % count))));
  }
  return std::move(tensor).share();
}

JudgedCase dump(const TensorView& x, const TensorView& weight, const TensorView& y) {
  Case value;
  value.x = x;
  value.weight = weight;
  return judged(std::move(value), y);
}

std::vector<std::string> options(const JudgedCase& stored, const FormatsOfDump& stated = {}) {
  JudgedCase read = stored;
  narrow_dump(read, stated);
  std::vector<std::string> list;
  for (const DumpReading& reading : other_readings(stored, read, stated)) {
    list.push_back(reading.option + (reading.shown ? " shown" : ""));
  }
  return list;
}

using Options = std::vector<std::string>;

const double kThird = 1.0 / 3;    // of every number it makes one that fits nothing narrower
const double kFp16Unit = 1.0625;  // of 64 .. 79 at least one that bf16 does not have
const TensorView kWide = steps(kThird, kMany);

TEST(DumpFormats, XFollowsYWhereItFits) {
  // Integers are numbers of both formats.
  JudgedCase both = dump(steps(1, kMany), kWide, steps(kFp16Unit, 16));
  narrow_dump(both, {.y = &kFp16});
  EXPECT_EQ(both.value.x.format->name, "fp16");
  EXPECT_EQ(both.value.weight->format->name, "fp32");
  EXPECT_EQ(both.observed->y->format->name, "fp16");
  JudgedCase wide = dump(kWide, steps(1, kMany), steps(1, kMany));
  EXPECT_EQ(narrow_dump(wide), "fp32");
  EXPECT_EQ(wide.value.x.format->name, "fp32");
  EXPECT_EQ(wide.value.weight->format->name, "bf16");
  EXPECT_EQ(wide.observed->y->format->name, "bf16");
}

TEST(DumpFormats, NumbersThatFitNothingNarrowerHaveOneReading) {
  EXPECT_EQ(options(dump(kWide, kWide, kWide)), Options{});
}

TEST(DumpFormats, ManyNumbersShowTheirFormatAndFewDoNot) {
  EXPECT_EQ(options(dump(steps(1, kMany), kWide, kWide)),
            (Options{"x=bf16 shown", "x=fp16 shown"}));
  EXPECT_EQ(options(dump(steps(1, 8), kWide, kWide)), (Options{"x=bf16", "x=fp16"}));
  EXPECT_EQ(options(dump(steps(kFp16Unit, 8), kWide, steps(kFp16Unit, 8))),
            Options{"x=fp16,y=fp16"});
  // The weight both ways, and named where its numbers would say otherwise.
  EXPECT_EQ(options(dump(kWide, steps(1, 8), steps(kFp16Unit, 8))),
            (Options{"y=fp16", "weight=fp16,y=fp16"}));
  EXPECT_EQ(options(dump(kWide, steps(1, kMany), steps(kFp16Unit, 8))),
            (Options{"weight=fp32,y=fp16", "weight=fp16,y=fp16"}));
}

TEST(DumpFormats, WhatIsStatedOrSeenIsLeftAlone) {
  const JudgedCase few = dump(steps(1, 8), kWide, kWide);
  EXPECT_EQ(options(few, {.x = &kFp32}), Options{});
  EXPECT_EQ(options(few, {.x = &kBf16}), Options{});
  // y shows bf16, and x is too few to follow.
  EXPECT_EQ(options(dump(steps(1, 8), kWide, steps(1, kMany))),
            (Options{"x=bf16,y=bf16", "x=fp16,y=bf16"}));
}

TEST(DumpFormats, AResidualIsReadAsXIs) {
  JudgedCase judged = dump(steps(1, 8), kWide, kWide);
  judged.value.residual = kWide;
  EXPECT_EQ(options(judged), Options{});
  judged.value.residual = steps(kFp16Unit, 8);
  EXPECT_EQ(options(judged), Options{"x=fp16"});
}

}  // namespace
}  // namespace normcert
