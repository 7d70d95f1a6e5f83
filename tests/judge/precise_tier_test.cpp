// Rows full of ties and near ties, wide enough for the double-double tier to take whole chunks and
// rows: the comparison on every vector target and in blocks against the exact one.
#include "judge/precise_tier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "judge/exact_compare.hpp"
#include "judge/wild_comparison.hpp"
#include "judge/wild_dice.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::uint64_t kSeed = 20260801;

enum class Kind : std::uint8_t {
  kTies,    // q + epsilon a power of four: y = x w / 2^k is a midpoint of T or nearly so
  kNear40,  // the same with epsilon a little greater
  kNear60,
  kNear110,   // beyond what double-double arithmetic tells
  kConstant,  // each row one number
  kSums,      // sums with a residual that are midpoints
};

class TieFiles {
 public:
  explicit TieFiles(std::uint64_t number) : dice_(kSeed + number, "precise tier") {}

  WildFile make(Kind kind, const FloatFormat& output) {
    WildFile file;
    Case& value = file.value;
    const std::size_t rows = 1 + dice_.below(40);
    const std::size_t width = 1 + dice_.below(dice_.below(2) == 0 ? 60 : 1100);
    value.epsilon.binary64 = epsilon(kind);
    value.output = &output;
    Tensor weight(kFp32, 1, width);
    for (std::size_t i = 0; i < width; ++i) {
      weight.set(0, i, convert(code_of(midpoint(output)), kFp32));
    }
    const FloatFormat& input = output == kFp32 || dice_.below(2) == 0 ? kFp32 : output;
    fill(value, kind, input, rows, width);
    if (dice_.below(8) != 0) value.weight = std::move(weight).share();
    file.rounded = rounded_reference(value, OutputTensor::kY);
    file.y = outputs(file.rounded);
    if (value.residual) {
      file.residual_out = outputs(rounded_reference(value, OutputTensor::kResidualOut));
    }
    if (dice_.below(2) == 0) {
      file.criteria.tolerance = Tolerance{dice_.below(2) == 0 ? 0 : 0x1p-9, 0x1p-8};
    }
    if (dice_.below(3) == 0) file.criteria.max_ulp = 0.5;
    return file;
  }

 private:
  // |x| = 1 or 3 and q + epsilon = 1, 4 or 16, or nearly so.
  double epsilon(Kind kind) {
    three_ = dice_.below(2) == 0 && (kind == Kind::kTies || kind == Kind::kNear40);
    const double exact = three_ ? 7 : 3;
    switch (kind) {
      case Kind::kNear40:
        return exact + 0x1p-40;
      case Kind::kNear60:
        return 0x1p-60;
      case Kind::kNear110:
        return 0x1p-110;
      case Kind::kConstant:
        return 1e-6;
      case Kind::kTies:
      case Kind::kSums:
        break;
    }
    return exact;
  }

  // x and residual; in some files most rows repeat the one before.
  void fill(Case& value, Kind kind, const FloatFormat& input, std::size_t rows, std::size_t width) {
    Tensor x(input, rows, width);
    Tensor residual(input, rows, width);
    const bool repeats = dice_.below(3) == 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double constant = 1 + 0.125 * static_cast<double>(dice_.below(8));
      const bool again = repeats && row > 0 && dice_.below(5) != 0;
      for (std::size_t i = 0; i < width; ++i) {
        double number = (dice_.below(2) == 0 ? 1 : -1) * (three_ ? 3 : 1);
        if (kind == Kind::kConstant) number = constant;
        if (kind == Kind::kSums) number = midpoint(input);
        x.set(row, i, again ? x.at(row - 1, i) : convert(code_of(number), input));
        const Code added = convert(code_of(midpoint(input) * 0x1p-9), input);
        residual.set(row, i, again ? residual.at(row - 1, i) : added);
      }
    }
    value.x = std::move(x).share();
    if (kind == Kind::kSums) value.residual = std::move(residual).share();
  }

  // Half a code of the format above a number of it, in binary32's precision.
  double midpoint(const FloatFormat& format) {
    const int bits = std::min(format.precision, kFp32.precision - 1);
    // Few different ones in some files.
    const std::uint64_t choice =
        few_ ? dice_.below(4) : dice_.below(std::uint64_t{1} << (bits - 1));
    const double number = 1 + std::ldexp(2 * static_cast<double>(choice) + 1, -bits);
    return std::ldexp(number, static_cast<int>(dice_.below(3)) - 1);
  }

  // The rounded results, or codes near to them, some files with a few far ones.
  TensorView outputs(const Tensor& rounded) {
    Tensor got = rounded;
    const std::uint64_t way = dice_.below(4);
    for (std::size_t row = 0; row < got.rows; ++row) {
      for (std::size_t i = 0; i < got.width; ++i) {
        Code code = rounded.at(row, i);
        if (way == 1 || (way == 2 && dice_.below(3) == 0)) code = next_up(code);
        if (way == 2 && dice_.below(3) == 0) code = next_down(code);
        if (way == 3 && dice_.below(200) == 0) code.bits ^= std::uint64_t{1} << dice_.below(16);
        got.set(row, i, code);
      }
    }
    return std::move(got).share();
  }

  WildDice dice_;
  bool three_ = false;
  bool few_ = dice_.below(3) == 0;
};

class PreciseTierFiles : public testing::TestWithParam<Kind> {};

TEST_P(PreciseTierFiles, AgreeWithTheExactComparison) {
  constexpr std::uint64_t kFiles = 12;
  WildCounts counts;
  for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
    for (std::uint64_t number = 0; number < kFiles; ++number) {
      const WildFile file = TieFiles(number).make(GetParam(), *format);
      ASSERT_EQ(wild_difference(file, number, counts), "") << format->name << ", file " << number;
    }
  }
  EXPECT_EQ(counts.files, 3 * kFiles);
  EXPECT_GT(counts.elements, 80'000U);
  RecordProperty("elements", static_cast<int>(counts.elements));
}

INSTANTIATE_TEST_SUITE_P(Kinds, PreciseTierFiles,
                         testing::Values(Kind::kTies, Kind::kNear40, Kind::kNear60, Kind::kNear110,
                                         Kind::kConstant, Kind::kSums));

}  // namespace
}  // namespace normcert
