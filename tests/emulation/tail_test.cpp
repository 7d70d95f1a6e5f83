// From the scalar to the output: associations, casts, weights, residuals, output formats, flushing,
// each against the same steps written out with the processor's arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

#include "emulation/small_rows.hpp"

namespace normcert {
namespace {

float as(double value, const FloatFormat& format) {
  return static_cast<float>(rounded_to(value, format));
}

float bf16(double value) { return as(value, kBf16); }

// A bfloat16 row with bfloat16 weights on which every choice below makes some difference.
SmallRow bf16_row() {
  SmallRow row{.x = {}, .weight = {}, .epsilon = 1e-6, .format = &kBf16};
  for (int i = 0; i < 64; ++i) {
    row.x.push_back(bf16(0.37 + i * 0.0619));
    row.weight.push_back(bf16(1.4 - i * 0.0137));
  }
  return row;
}

// r of that row, in the order of its elements.
float rstd_of(const SmallRow& row) {
  float sum = 0;
  for (const double x : row.x) sum += static_cast<float>(x * x);
  return 1 / std::sqrt(sum / static_cast<float>(row.x.size()) + 1e-6F);
}

Recipe sequential() {
  Recipe recipe;
  recipe.statistic.order.kind = OrderKind::kSequential;
  return recipe;
}

using Tail = std::function<float(float x, float w)>;

// How many elements differ from those of recipe `base`.
int check(const Recipe& recipe, const SmallRow& row, const Tail& tail, const Recipe& base) {
  const SmallResult got = emulate_small(recipe, row);
  const SmallResult other = emulate_small(base, row);
  int different = 0;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const float expected = tail(static_cast<float>(row.x[i]), static_cast<float>(row.weight[i]));
    EXPECT_EQ(got.y[i], static_cast<double>(expected)) << "element " << i;
    different += got.y[i] != other.y[i] ? 1 : 0;
  }
  return different;
}

TEST(Tail, Casts) {
  const SmallRow row = bf16_row();
  const float r = rstd_of(row);
  const Recipe before = sequential();
  EXPECT_EQ(check(
                before, row, [r](float x, float w) { return bf16(bf16(x * r) * w); }, before),
            0);
  Recipe recipe = before;
  recipe.cast = CastPoint::kAfterWeight;
  EXPECT_GT(check(
                recipe, row, [r](float x, float w) { return bf16(x * r * w); }, before),
            5);
  recipe.cast = CastPoint::kNone;
  EXPECT_GT(check(
                recipe, row, [r](float x, float w) { return bf16(x * r * w); }, before),
            5);
}

TEST(Tail, EveryOperationInTheInputsFormat) {
  const SmallRow row = bf16_row();
  float sum = 0;
  for (const double x : row.x) sum += bf16(x * x);
  const float q = bf16(sum / 64.0F);
  const float r = bf16(1 / bf16(std::sqrt(bf16(q + bf16(1e-6)))));
  Recipe recipe = sequential();
  recipe.cast = CastPoint::kEveryOp;
  recipe.statistic.square = StepFormat::kInput;
  recipe.epsilon.dtype = StepFormat::kInput;
  recipe.root.rounding = RootRounding::kEachOp;
  EXPECT_GT(check(
                recipe, row, [r](float x, float w) { return bf16(bf16(x * r) * w); }, sequential()),
            5);
}

TEST(Tail, Associations) {
  SmallRow row = bf16_row();
  row.format = &kFp32;
  for (double& x : row.x) x = static_cast<float>(x * 1.0001);
  for (double& w : row.weight) w = static_cast<float>(w * 0.9999);
  float sum = 0;
  for (const double x : row.x) sum += static_cast<float>(x) * static_cast<float>(x);
  const float root = std::sqrt(sum / 64.0F + 1e-6F);
  const float reciprocal = 1 / root;
  Recipe base = sequential();
  base.cast = CastPoint::kAfterWeight;
  const auto differing = [&](Association association, const Tail& tail) {
    Recipe recipe = base;
    recipe.association = association;
    if (divides_by_rms(association)) recipe.root.kind = RootKind::kDivideBySqrt;
    return check(recipe, row, tail, base);
  };
  EXPECT_EQ(
      differing(Association::kXrThenW, [=](float x, float w) { return (x * reciprocal) * w; }), 0);
  EXPECT_GT(
      differing(Association::kXTimesRw, [=](float x, float w) { return x * (reciprocal * w); }), 0);
  EXPECT_GT(
      differing(Association::kXwThenR, [=](float x, float w) { return (x * w) * reciprocal; }), 0);
  EXPECT_GT(differing(Association::kXOverRmsW, [=](float x, float w) { return (x / root) * w; }),
            0);
  EXPECT_GT(differing(Association::kXwOverRms, [=](float x, float w) { return (x * w) / root; }),
            0);
  EXPECT_GT(differing(Association::kWOverRmsX, [=](float x, float w) { return (w / root) * x; }),
            0);
}

TEST(Tail, GainThatIsNeverRounded) {
  SmallRow row = bf16_row();
  for (double& w : row.weight) w = bf16(w * 0x1p-9);
  const float r = rstd_of(row);
  Recipe base = sequential();
  base.cast = CastPoint::kAfterWeight;
  base.weight.form = WeightForm::kOnePlusW;
  Recipe recipe = base;
  recipe.output = OutputFormat::kBinary32;
  recipe.weight.offset_dtype = OffsetFormat::kExact;
  recipe.association = Association::kFmaXrWXr;
  check(
      recipe, row, [r](float x, float w) { return std::fma(x * r, w, x * r); }, base);
  recipe.association = Association::kXrThenW;
  check(
      recipe, row, [r](float x, float w) { return std::fma(x * r, w, x * r); }, base);
}

TEST(Weight, FormsAndOffsetFormats) {
  SmallRow row = bf16_row();
  for (double& w : row.weight) w = bf16(w * 0x1p-7);
  row.offset = 0.2;
  const float r = rstd_of(row);
  Recipe plain = sequential();
  plain.cast = CastPoint::kAfterWeight;
  Recipe recipe = plain;
  recipe.weight.form = WeightForm::kOnePlusW;
  const Recipe rounded_in_fp32 = recipe;
  EXPECT_GT(check(
                recipe, row, [r](float x, float w) { return bf16((x * r) * (1 + w)); }, plain),
            50);
  recipe.weight.offset_dtype = OffsetFormat::kWeight;
  EXPECT_GT(check(
                recipe, row, [r](float x, float w) { return bf16((x * r) * bf16(1 + w)); },
                rounded_in_fp32),
            5);
  recipe.weight = {.form = WeightForm::kOffsetPlusW};
  check(
      recipe, row, [r](float x, float w) { return bf16((x * r) * (0.2F + w)); }, plain);
  recipe.weight.offset_dtype = OffsetFormat::kWeight;
  check(
      recipe, row, [r](float x, float w) { return bf16((x * r) * bf16(bf16(0.2) + w)); }, plain);
  recipe.weight = {.form = WeightForm::kNone};
  check(
      recipe, row, [r](float x, float) { return bf16(x * r); }, plain);
}

// Without a weight the gain is 1 in every recipe, whatever it would add to a weight.
// As in PyTorch's layer_norm, whose bias of zeros turns -0 into +0.
TEST(Weight, BiasOfZeros) {
  Recipe recipe = sequential();
  recipe.cast = CastPoint::kAfterWeight;
  recipe.epsilon.position = EpsilonPosition::kNone;
  const SmallRow row{.x = {-0.0, 3, -4, 0, 0x1p-80}, .weight = {1, 1, -1, -1, -0x1p-80}};
  const SmallResult plain = emulate_small(recipe, row);
  EXPECT_TRUE(std::signbit(plain.y[0]));
  EXPECT_TRUE(std::signbit(plain.y[3]));
  EXPECT_TRUE(std::signbit(plain.y[4]));  // underflows
  recipe.weight.bias = true;
  const SmallResult biased = emulate_small(recipe, row);
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    EXPECT_EQ(biased.y[i], plain.y[i]);
    EXPECT_EQ(std::signbit(biased.y[i]), plain.y[i] < 0) << i;
  }
}

TEST(Weight, MissingIsAGainOfOne) {
  SmallRow row = bf16_row();
  const float r = rstd_of(row);
  row.weight.clear();
  for (const WeightForm form : {WeightForm::kW, WeightForm::kOnePlusW, WeightForm::kOffsetPlusW}) {
    Recipe recipe = sequential();
    recipe.weight.form = form;
    const SmallResult got = emulate_small(recipe, row);
    for (std::size_t i = 0; i < row.x.size(); ++i) {
      EXPECT_EQ(got.y[i], static_cast<double>(bf16(static_cast<float>(row.x[i]) * r)));
    }
  }
}

// 16-bit input with a binary32 weight: what the cast's target and the output's format do.
TEST(Weight, WiderThanTheInput) {
  SmallRow row = bf16_row();
  row.weight_format = &kFp32;
  for (double& w : row.weight) w = static_cast<float>(w * 1.0001);
  const float r = rstd_of(row);
  Recipe recipe = sequential();
  recipe.output = OutputFormat::kPromote;
  const SmallResult promoted = emulate_small(recipe, row);
  EXPECT_EQ(*promoted.format, kFp32);
  check(
      recipe, row, [r](float x, float w) { return bf16(x * r) * w; }, recipe);
  recipe.output = OutputFormat::kInput;
  check(
      recipe, row, [r](float x, float w) { return bf16(bf16(x * r) * w); }, recipe);
  recipe.cast = CastPoint::kBeforeWeightToWeightDtype;
  recipe.output = OutputFormat::kWeight;
  EXPECT_EQ(*emulate_small(recipe, row).format, kFp32);
  check(
      recipe, row, [r](float x, float w) { return (x * r) * w; }, recipe);
}

TEST(Weight, OtherSixteenBitFormatThanTheInput) {
  SmallRow row = bf16_row();
  row.weight_format = &kFp16;
  const float r = rstd_of(row);
  Recipe recipe = sequential();
  recipe.cast = CastPoint::kBeforeWeightToWeightDtype;
  recipe.output = OutputFormat::kWeight;
  check(
      recipe, row, [r](float x, float w) { return as(as(x * r, kFp16) * w, kFp16); }, recipe);
  recipe.cast = CastPoint::kBeforeWeight;
  recipe.output = OutputFormat::kPromote;
  check(
      recipe, row, [r](float x, float w) { return bf16(x * r) * w; }, recipe);
}

struct ResidualRow {
  SmallRow row = bf16_row();
  std::vector<float> exact;    // x + residual, in binary32 here
  std::vector<float> rounded;  // in bfloat16

  ResidualRow() {
    for (std::size_t i = 0; i < row.x.size(); ++i) {
      row.residual.push_back(bf16(0.013 * static_cast<double>(i) - 0.2));
      exact.push_back(static_cast<float>(row.x[i]) + static_cast<float>(row.residual[i]));
      rounded.push_back(bf16(exact.back()));
    }
  }
};

// A residual of a wider format is not rounded before it is added, and its sum is stored in its own.
TEST(Residual, WiderThanX) {
  SmallRow row;
  row.format = &kBf16;
  row.residual_format = &kFp32;
  row.x = {1, 1};
  row.residual = {0x1p-8 + 0x1p-20, 0x1p-12};  // beyond, and below, half a unit of bf16
  Recipe recipe;
  recipe.residual = ResidualMode::kRounded;
  EXPECT_EQ(emulate_small(recipe, row).residual_out, (std::vector<double>{1 + 0x1p-7, 1}));
  for (const ResidualMode mode : {ResidualMode::kUnrounded, ResidualMode::kUnroundedStatistic}) {
    recipe.residual = mode;
    EXPECT_EQ(emulate_small(recipe, row).residual_out,
              (std::vector<double>{1 + 0x1p-8 + 0x1p-20, 1 + 0x1p-12}));
  }
  // Where the recipe converts all inputs, the residual too: 1 + 2^-8 is a tie.
  recipe.residual = ResidualMode::kRounded;
  recipe.convert_inputs = InputConversion::kBfloat16;
  EXPECT_EQ(emulate_small(recipe, row).residual_out, (std::vector<double>{1, 1}));

  const Tensor x = row_tensor(row.x, kBf16);
  const Tensor residual = row_tensor(row.residual, kFp32);
  const BlockInput block{
      .x = x.view(), .residual = residual.view(), .weight = {}, .weight_offset = 0, .epsilon = 1};
  EXPECT_EQ(fastest_evaluator(Recipe{}, block), Evaluator::kExact);
}

TEST(Residual, Modes) {
  const ResidualRow data;
  const auto r = [](const std::vector<float>& z) {
    float sum = 0;
    for (const float value : z) sum += value * value;
    return 1 / std::sqrt(sum / 64.0F + 1e-6F);
  };
  const auto expect = [&](ResidualMode mode, const std::vector<float>& statistic,
                          const std::vector<float>& numerator) {
    Recipe recipe = sequential();
    recipe.residual = mode;
    const SmallResult got = emulate_small(recipe, data.row);
    for (std::size_t i = 0; i < data.row.x.size(); ++i) {
      const auto w = static_cast<float>(data.row.weight[i]);
      EXPECT_EQ(got.y[i], static_cast<double>(bf16(bf16(numerator[i] * r(statistic)) * w)));
      EXPECT_EQ(got.residual_out[i], static_cast<double>(data.rounded[i]));
    }
  };
  EXPECT_NE(data.exact, data.rounded);
  EXPECT_NE(r(data.exact), r(data.rounded));
  expect(ResidualMode::kRounded, data.rounded, data.rounded);
  expect(ResidualMode::kUnrounded, data.exact, data.exact);
  expect(ResidualMode::kUnroundedStatistic, data.exact, data.rounded);
  // A recipe without one of its own: somebody else adds before it.
  expect(ResidualMode::kNone, data.rounded, data.rounded);
}

TEST(Output, TruncatedStore) {
  const SmallRow row = bf16_row();
  const float r = rstd_of(row);
  Recipe recipe = sequential();
  recipe.cast = CastPoint::kAfterWeight;
  const Recipe nearest = recipe;
  recipe.rounding = StoreRounding::kTruncate;
  const auto truncated = [](float value) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000U);
  };
  EXPECT_GT(check(
                recipe, row, [=](float x, float w) { return truncated(x * r * w); }, nearest),
            20);
}

TEST(Conversion, OfInputsComesFirst) {
  const SmallRow row{
      .x = {0x1.00ffp0, 3}, .weight = {0x1.00ffp0, 1}, .epsilon = 1e-6, .format = &kFp32};
  Recipe recipe = sequential();
  recipe.convert_inputs = InputConversion::kBfloat16;
  const SmallResult got = emulate_small(recipe, row);
  EXPECT_EQ(*got.format, kFp32);
  const float x = bf16(0x1.00ffp0);
  const float r = 1 / std::sqrt((x * x + 9.0F) / 2.0F + 1e-6F);
  EXPECT_EQ(got.y[0], static_cast<double>(bf16(bf16(x * r) * x)));
}

TEST(Before, DivideByMaxAndClamp) {
  Recipe recipe = sequential();
  recipe.epsilon.position = EpsilonPosition::kNone;
  recipe.before = PreStep::kDivideByMax;
  const SmallResult scaled = emulate_small(recipe, {.x = {-8, 8, 8, 8}});
  EXPECT_EQ(scaled.scalars, std::vector<double>{1});
  EXPECT_EQ(scaled.y, (std::vector<double>{-1, 1, 1, 1}));
  recipe.before = PreStep::kClamp65504;
  const SmallResult clamped = emulate_small(recipe, {.x = {-1e6, 65504, 65504, 1e30}});
  EXPECT_EQ(clamped.y, (std::vector<double>{-1, 1, 1, 1}));
}

// 2^-70 squared vanishes with the results of binary32 flushed (2^-140 is subnormal there), and a
// subnormal input counts as zero where inputs are.
TEST(Flush, InputsAndResults) {
  const auto rms = [](FlushMode flush, double x) {
    Recipe recipe = sequential();
    recipe.epsilon.position = EpsilonPosition::kNone;
    recipe.flush = flush;
    return rms_of(recipe, {.x = {x, x}});
  };
  EXPECT_EQ(rms(FlushMode::kNone, 0x1p-70), 0x1p-70);
  EXPECT_EQ(rms(FlushMode::kResults, 0x1p-70), 0);
  EXPECT_EQ(rms(FlushMode::kInputs, 0x1p-70), 0);  // the sum's operand
  EXPECT_EQ(rms(FlushMode::kNone, 0x1p-60), 0x1p-60);
  EXPECT_EQ(rms(FlushMode::kResults, 0x1p-60), 0x1p-60);
  EXPECT_EQ(rms(FlushMode::kInputs, 0x1p-60), 0x1p-60);
  Recipe tail = sequential();
  tail.cast = CastPoint::kNone;
  const SmallRow row{.x = {1, 1}, .weight = {0x1p-130, -0x1p-130}, .epsilon = 0x1p-30};
  EXPECT_NE(emulate_small(tail, row).y[0], 0);
  tail.flush = FlushMode::kInputs;
  EXPECT_EQ(emulate_small(tail, row).y[0], 0);
  EXPECT_TRUE(std::signbit(emulate_small(tail, row).y[1]));
}

TEST(Special, NanAndInfinityGoThroughAsIeeeSays) {
  const Recipe recipe = sequential();
  const SmallResult nan = emulate_small(recipe, {.x = {1, NAN}, .epsilon = 1e-6});
  EXPECT_TRUE(std::isnan(nan.y[0]) && std::isnan(nan.y[1]));
  const SmallResult infinite = emulate_small(recipe, {.x = {1, INFINITY}, .epsilon = 1e-6});
  EXPECT_EQ(infinite.y[0], 0);
  EXPECT_TRUE(std::isnan(infinite.y[1]));
  const SmallResult zero = emulate_small(recipe, {.x = {0.0, -0.0}, .epsilon = 1e-6});
  EXPECT_EQ(zero.y, (std::vector<double>{0, 0}));
  EXPECT_FALSE(std::signbit(zero.y[0]));
  EXPECT_TRUE(std::signbit(zero.y[1]));
  Recipe none = recipe;
  none.epsilon.position = EpsilonPosition::kNone;
  EXPECT_TRUE(std::isnan(emulate_small(none, {.x = {0.0, 0.0}}).y[0]));
}

}  // namespace
}  // namespace normcert
