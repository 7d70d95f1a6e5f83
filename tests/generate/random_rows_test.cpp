// Classes of normal deviates: their magnitude is what the class promises.
#include "generate/random_rows.hpp"

#include <gtest/gtest.h>

#include "generate/generate.hpp"
#include "generate/standard_rows.hpp"
#include "generate/weight_row.hpp"
#include "numeric/rounding.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

const std::vector<const FloatFormat*> kFormats = {&kFp64, &kFp32, &kBf16, &kFp16};
constexpr std::size_t kWidth = 2048;

StandardSet set_of(const FloatFormat& format, const std::string& epsilon = "1e-5") {
  return standard_set(standard_spec(format, kWidth, epsilon));
}

// RMS of every row of a class relative to `expected`, within the rounding of the format.
void expect_rms(const StandardSet& set, const std::string& id, double expected) {
  const Case* value = find_case(set, id);
  ASSERT_NE(value, nullptr) << id;
  EXPECT_EQ(value->x.rows, 2U);
  for (std::size_t row = 0; row < value->x.rows; ++row) {
    const double error = root_mean_square(value->x, row) / expected - 1;
    EXPECT_NEAR(error, 0, *value->x.format == kFp64 ? 1e-12 : 2e-3) << id;
  }
  EXPECT_NE(row_numbers(value->x, 0), row_numbers(value->x, 1));
}

TEST(RandomRows, TinySmallLarge) {
  for (const FloatFormat* format : kFormats) {
    SCOPED_TRACE(format->name);
    const StandardSet set = set_of(*format);
    expect_rms(set, "tiny", std::sqrt(1e-5) / 1024);
    expect_rms(set, "small", std::sqrt(1e-6));
    expect_rms(set, "large", 256);
  }
}

TEST(RandomRows, OrdinaryKeepsAwayFromPowersOfTwo) {
  const double significands[] = {1.09, 1.28, 1.62, 1.83};
  for (const FloatFormat* format : kFormats) {
    for (const char* epsilon : {"1e-6", "1e-3", "0.5", "3"}) {
      SCOPED_TRACE(std::string(format->name) + ' ' + epsilon);
      const StandardSet set = set_of(*format, epsilon);
      const Case* value = find_case(set, "ordinary");
      ASSERT_NE(value, nullptr);
      ASSERT_EQ(value->x.rows, 4U);
      for (std::size_t row = 0; row < 4; ++row) {
        const double rms = root_mean_square(value->x, row);
        const double q = rms * rms;
        EXPECT_GE(q, 0.99 * value->epsilon.binary64) << "attenuation would hide the row";
        double r = 1 / std::sqrt(q + value->epsilon.binary64);
        while (r < 1) r *= 2;
        while (r >= 2) r /= 2;
        EXPECT_NEAR(r / significands[row], 1, 2e-3);
      }
    }
  }
}

TEST(RandomRows, MixedScaleRisesFromAMillionthToTen) {
  for (const FloatFormat* format : kFormats) {
    const StandardSet set = set_of(*format);
    const TensorView& x = find_case(set, "mixed_scale")->x;
    ASSERT_EQ(x.rows, 2U);
    const auto rms_of = [&](std::size_t first, std::size_t last) {
      double sum = 0;
      for (std::size_t i = first; i < last; ++i) {
        const double number = to_binary64(x.at(0, i));
        sum += number * number;
      }
      return std::sqrt(sum / static_cast<double>(last - first));
    };
    // The first and the last half step, and one decade in the middle.
    EXPECT_NEAR(std::log10(rms_of(0, kWidth / 14)), -6, 0.1);
    EXPECT_NEAR(std::log10(rms_of(kWidth - kWidth / 14, kWidth)), 1, 0.1);
    EXPECT_NEAR(std::log10(rms_of(kWidth * 3 / 7 - 100, kWidth * 3 / 7 + 100)), -3, 0.1);
  }
}

TEST(RandomRows, OutlierChannel) {
  for (const FloatFormat* format : kFormats) {
    const StandardSet set = set_of(*format);
    const TensorView& x = find_case(set, "outlier_channel")->x;
    ASSERT_EQ(x.rows, 2U);
    EXPECT_EQ(to_binary64(x.at(0, kWidth / 2)), 900);
    EXPECT_EQ(to_binary64(x.at(1, kWidth / 4)), -60);
    EXPECT_EQ(to_binary64(x.at(1, 3 * kWidth / 4)), 33);
    const double outliers[] = {900.0 * 900, 60.0 * 60 + 33 * 33};
    const double deviations[] = {0.5, 0.05};
    for (std::size_t row = 0; row < 2; ++row) {
      const double rms = root_mean_square(x, row);
      const double rest = rms * rms * kWidth - outliers[row];
      EXPECT_NEAR(std::sqrt(rest / kWidth) / deviations[row], 1, 0.1);
    }
  }
  const StandardSet narrow = standard_set(standard_spec(kFp32, 1, "1e-5"));
  EXPECT_EQ(to_binary64(find_case(narrow, "outlier_channel")->x.at(1, 0)), -60);
}

TEST(RandomRows, AmplitudeSweepsThePowersOfTen) {
  const StandardSet set = set_of(kFp32);
  const TensorView& x = find_case(set, "amplitude")->x;
  ASSERT_EQ(x.rows, 25U);
  for (std::size_t row = 0; row < x.rows; ++row) {
    EXPECT_NEAR(std::log10(root_mean_square(x, row)), static_cast<double>(row) - 12, 1e-3);
  }
}

TEST(RandomRows, MoreRowsGoThroughTheListAgain) {
  GeneratorSpec spec;
  spec.name = "normal";
  spec.width = kWidth;
  spec.rows = 5;
  spec.with_weight = false;
  spec.parameters["rms"] = {"1", "0x1p4"};
  const GeneratedRows made = generate_rows(spec, read_epsilon("1e-5", "", ""), {});
  ASSERT_EQ(made.x.rows, 5U);
  EXPECT_FALSE(made.weight);
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_NEAR(root_mean_square(made.x.view(), row), row % 2 == 0 ? 1 : 16, 1e-12);
  }
  EXPECT_NE(row_numbers(made.x.view(), 0), row_numbers(made.x.view(), 2));
}

TEST(WeightRow, IsAroundOneWithAZeroAndANegative) {
  for (const double offset : {0.0, 1.0}) {
    const std::vector<Code> weight = weight_row(0, 4096, kFp32, offset);
    double sum = 0;
    double squares = 0;
    for (const Code code : weight) {
      const double gain = to_binary64(code) + offset;
      sum += gain;
      squares += (gain - 1) * (gain - 1);
    }
    EXPECT_NEAR(sum / 4096, 1, 0.02);
    EXPECT_NEAR(std::sqrt(squares / 4096), 0.25, 0.02);
    EXPECT_EQ(weight[2], zero_of(kFp32, false));
    EXPECT_LT(to_binary64(weight[3]), 0);
  }
  for (const std::size_t width : {1U, 2U, 3U}) {
    EXPECT_EQ(weight_row(0, width, kBf16, 0).size(), width);
  }
  EXPECT_EQ(weight_row(0, 3, kBf16, 0)[2].bits, 0U);
}

TEST(WeightRow, NegativeEvenWhereTheFormatHasNothingSmall) {
  // Around 2^-9 fp8_e4m3fn has only zero and its least number.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<Code> weight = weight_row(seed, 4, kFp8E4m3fn, 1);
    EXPECT_LT(to_binary64(weight[3]), 0);
  }
}

TEST(WeightRow, RefusesAnOffsetThatTheFormatCannotUndo) {
  EXPECT_NE(thrown_message([] { (void)weight_row(0, 4, kFp16, 1e30); }).find("finite in fp16"),
            std::string::npos);
}

}  // namespace
}  // namespace normcert
