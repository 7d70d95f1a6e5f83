// Every class of the conforming set as a kernel: with any order of the sum it conforms to itself,
// never to one that rounds elsewhere, and no defect of one channel hides in the freedom of the
// scalar, however wide the row.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inference/conforming_set.hpp"
#include "judge/conformity.hpp"
#include "judge/kernel_rows.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidths[] = {64, 1000, 4096, 16384};
constexpr const FloatFormat* kFormats[] = {&kFp32, &kBf16, &kFp16};
constexpr const FloatFormat* kNarrow[] = {&kBf16, &kFp16};

Case kernel_case(const FloatFormat& x, const FloatFormat& weight, std::size_t width, int offset,
                 bool residual, std::size_t rows) {
  Case value = with_weights(random_case(x, width, 21, rows), weight, offset);
  if (residual) value.residual = random_case(x, width, 22, rows).x;
  return value;
}

std::vector<RoundingClass> classes_of(const Case& value) {
  return conforming_set(rounding_setting(value, *value.output));
}

TEST(ConformityOfKernels, AnyOrderConformsToItsOwnTail) {
  int rows = 0;
  for (const FloatFormat* format : kFormats) {
    for (const std::size_t width : kWidths) {
      for (const int offset : {0, 1}) {
        const Case value = kernel_case(*format, *format, width, offset, offset == 1, 1);
        for (const RoundingClass& one : classes_of(value)) {
          Recipe port = one.recipe;
          for (const SummationOrder& order : orders()) {
            port.statistic.order = order;
            const int conforming = rows_that_conform(one.recipe, value, outputs(port, value));
            EXPECT_EQ(conforming, 1) << format->name << " " << width << " " << one.name;
            rows += conforming;
          }
        }
      }
    }
  }
  EXPECT_EQ(rows, 4200);
}

// Which numerator: z rounded, or not. (The statistic alone cannot show which it took in wide rows.)
bool same_numerator(ResidualMode a, ResidualMode b) {
  return (a == ResidualMode::kUnrounded) == (b == ResidualMode::kUnrounded);
}

// 1 + w of 16-bit weights of ordinary size is exact in binary32.
bool same_sum(OffsetFormat a, OffsetFormat b) {
  return (a == OffsetFormat::kWeight) == (b == OffsetFormat::kWeight);
}

TEST(ConformityOfKernels, AnotherCastOffsetOrResidualNeverConforms) {
  int rows = 0;
  for (const FloatFormat* format : kNarrow) {
    for (const std::size_t width : kWidths) {
      const Case value = kernel_case(*format, *format, width, 1, true, 1);
      const std::vector<RoundingClass> set = classes_of(value);
      RowConformity row(value, 0);
      std::vector<std::optional<TailFitter>> fitters(set.size());
      for (const RoundingClass& port : set) {
        const TensorView got = outputs(port.recipe, value);
        for (std::size_t k = 0; k < set.size(); ++k) {
          const RoundingClass& asked = set[k];
          if (asked.recipe.cast == port.recipe.cast &&
              same_sum(asked.recipe.weight.offset_dtype, port.recipe.weight.offset_dtype) &&
              same_numerator(asked.recipe.residual, port.recipe.residual)) {
            continue;
          }
          EXPECT_EQ(row.conforms(asked.recipe, got, fitters[k]), Tristate::kDiffers)
              << format->name << " " << width << ": " << port.name << " as " << asked.name;
          ++rows;
        }
      }
    }
  }
  EXPECT_EQ(rows, 24000);
}

TEST(ConformityOfKernels, ACastToTheWeightsFormatNeverConformsToAnother) {
  int rows = 0;
  for (const std::size_t width : kWidths) {
    const Case value = kernel_case(kBf16, kFp16, width, 0, false, 2);
    const std::vector<RoundingClass> set = classes_of(value);
    for (const RoundingClass& port : set) {
      const TensorView got = outputs(port.recipe, value);
      for (const RoundingClass& asked : set) {
        if (asked.recipe.cast == port.recipe.cast) continue;
        EXPECT_EQ(rows_that_conform(asked.recipe, value, got), 0)
            << width << ": " << port.name << " as " << asked.name;
        rows += 2;
      }
    }
  }
  EXPECT_EQ(rows, 448);
}

// What the freedom of the scalar covers: which of two sums the statistic took, in a wide row.
TEST(ConformityOfKernels, AWideRowDoesNotShowWhichSumTheStatisticTook) {
  const Case value = kernel_case(kBf16, kBf16, 16384, 0, true, 1);
  Recipe rounded = base_recipe(CastPoint::kAfterWeight);
  rounded.residual = ResidualMode::kRounded;
  Recipe statistic = rounded;
  statistic.residual = ResidualMode::kUnroundedStatistic;
  EXPECT_EQ(rows_that_conform(rounded, value, outputs(statistic, value)), 1);
}

// Of every class in binary32; in 16 bits with an error that none of their numbers is too coarse
// for: a quarter of a percent in fp16, three in bf16.
TEST(ConformityOfKernels, AChannelWithAnotherGainNeverConforms) {
  int rows = 0;
  for (const FloatFormat* format : kFormats) {
    const double error = *format == kFp32 ? 1e-4 : (*format == kFp16 ? 2.5e-3 : 3e-2);
    for (const std::size_t width : kWidths) {
      const Case value = kernel_case(*format, kFp32, width, 0, false, 2);
      for (const std::size_t channel : {std::size_t{0}, width / 2, width - 1}) {
        Case wrong = value;
        Tensor weight(kFp32, 1, width);
        for (std::size_t i = 0; i < width; ++i) weight.set(0, i, value.weight->at(0, i));
        const double gain = to_binary64(value.weight->at(0, channel)) * (1 + error);
        weight.set(0, channel, round(dyadic_of(gain), kFp32));
        wrong.weight = std::move(weight).share();
        for (const RoundingClass& one : classes_of(value)) {
          const TensorView got = outputs(one.recipe, wrong);
          EXPECT_EQ(rows_that_conform(one.recipe, value, got), 0)
              << format->name << " " << width << " " << channel << " " << one.name;
          rows += 2;
        }
      }
    }
  }
  EXPECT_EQ(rows, 528);
}

TEST(ConformityOfKernels, FourteenBitsAreNotBinary32) {
  constexpr unsigned kDropped = 24 - 14;
  int rows = 0;
  for (const std::size_t width : kWidths) {
    const Case value = kernel_case(kFp32, kFp32, width, 0, false, 2);
    for (const RoundingClass& one : classes_of(value)) {
      const TensorView right = outputs(one.recipe, value);
      Tensor coarse(kFp32, right.rows, right.width);
      for (std::size_t row = 0; row < right.rows; ++row) {
        for (std::size_t i = 0; i < right.width; ++i) {
          Code code = right.at(row, i);
          code.bits += std::uint64_t{1} << (kDropped - 1);
          code.bits = code.bits >> kDropped << kDropped;
          coarse.set(row, i, code);
        }
      }
      const TensorView got = std::move(coarse).share();
      for (const RoundingClass& asked : classes_of(value)) {
        EXPECT_EQ(rows_that_conform(asked.recipe, value, got), 0) << width << " " << asked.name;
        rows += 2;
      }
    }
  }
  EXPECT_EQ(rows, 4 * 6 * 6 * 2);
}

}  // namespace
}  // namespace normcert
