// Short rows, which the evaluator in vectors takes kRowsTogether at a time, under every target.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "emulation/each_target.hpp"
#include "emulation/emulate.hpp"
#include "emulation/float_sums.hpp"
#include "emulation/sample_orders.hpp"
#include "emulation/sample_rows.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidths[] = {1, 7, 63, 64, 65, 100, 255, 256, 257};

BlockInput input_of(const Tensor& x, const Tensor& weight) {
  return {
      .x = x.view(), .residual = {}, .weight = weight.view(), .weight_offset = 1, .epsilon = 1e-6};
}

// One row alone and few of them, whole batches and such as are not full.
TEST(ShortRows, AgreeWithBinary64InEveryOrder) {
  std::size_t compared = 0;
  for (const std::size_t width : kWidths) {
    const Tensor all = sample_rows(kFp32, 2 * kRowsTogether + 5, width, "x");
    const Tensor weight = sample_rows(kFp32, 1, width, "weight");
    for (const SummationOrder& order : sample_orders()) {
      Recipe recipe;
      recipe.statistic.order = order;
      if (find_conflict(recipe)) continue;
      BlockInput input = input_of(all, weight);
      ASSERT_EQ(fastest_evaluator(recipe, input), Evaluator::kVectors);
      const Tensor expected = emulate_block(recipe, input, Evaluator::kHardware).y;
      for_each_target([&] {
        for (const std::size_t rows : {std::size_t{1}, std::size_t{3}, std::size_t{4},
                                       kRowsTogether, kRowsTogether + 1, all.rows}) {
          input.x = all.view().rows_from(all.rows - rows, rows);
          const Tensor found = emulate_block(recipe, input, Evaluator::kVectors).y;
          for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t i = 0; i < width; ++i) {
              ASSERT_TRUE(same_bits(found.at(row, i), expected.at(all.rows - rows + row, i)))
                  << "order " << static_cast<int>(order.kind) << ", width " << width << ", row "
                  << row << " of " << rows << ", element " << i;
            }
          }
          compared += rows * width;
        }
      });
    }
  }
  EXPECT_GT(compared, simd_targets().size() * 5000000);
}

// What one row of a batch holds is nothing to the others.
TEST(ShortRows, KeepNanAndInfinityToThemselves) {
  constexpr std::size_t kWidth = 64;
  const RandomStream random(20260910, "rows");
  Tensor x(kFp32, kRowsTogether, kWidth);
  for (std::size_t i = 0; i < x.rows * kWidth; ++i) {
    x.set(i / kWidth, i % kWidth, convert(code_of(random.normal(i)), kFp32));
  }
  const Tensor weight = sample_rows(kFp32, 1, kWidth, "weight");
  std::vector<Recipe> recipes(2);
  recipes[1].residual = ResidualMode::kUnrounded;
  for (const SummationOrder& order : sample_orders()) {
    for (Recipe& recipe : recipes) {
      recipe.statistic.order = order;
      if (find_conflict(recipe)) continue;
      BlockInput input = input_of(x, weight);
      if (recipe.residual != ResidualMode::kNone) input.residual = x.view();
      const Tensor clean = emulate_block(recipe, input, Evaluator::kVectors).y;
      for (std::size_t bad = 0; bad < x.rows; ++bad) {
        const double value = bad % 2 == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
        Tensor changed = x;
        changed.set(bad, bad, convert(code_of(value), kFp32));
        input.x = changed.view();
        for_each_target([&] {
          const Tensor y = emulate_block(recipe, input, Evaluator::kVectors).y;
          ASSERT_TRUE(is_nan(y.at(bad, bad)));
          for (std::size_t row = 0; row < y.rows; ++row) {
            for (std::size_t i = 0; i < kWidth && row != bad; ++i) {
              ASSERT_TRUE(same_bits(y.at(row, i), clean.at(row, i)))
                  << "row " << bad << " reached row " << row << ", element " << i;
            }
          }
        });
      }
    }
  }
}

// x + residual is stored, and rounded or not, in one pass where both have the compute's input
// format: every mode, format and rest against binary64.
TEST(ShortRows, AgreeWithBinary64WithResiduals) {
  std::size_t compared = 0;
  for (const ResidualMode mode :
       {ResidualMode::kRounded, ResidualMode::kUnrounded, ResidualMode::kUnroundedStatistic}) {
    for (const FloatFormat* format : {&kBf16, &kFp16, &kFp32}) {
      for (const std::size_t width : kWidths) {
        Recipe recipe;
        recipe.residual = mode;
        const Tensor x = sample_rows(*format, kRowsTogether + 2, width, "x");
        const Tensor residual = sample_rows(*format, x.rows, width, "residual");
        const Tensor weight = sample_rows(*format, 1, width, "weight");
        BlockInput input = input_of(x, weight);
        input.residual = residual.view();
        ASSERT_EQ(fastest_evaluator(recipe, input), Evaluator::kVectors);
        const EmulatedBlock expected = emulate_block(recipe, input, Evaluator::kHardware);
        for_each_target([&] {
          const EmulatedBlock found = emulate_block(recipe, input, Evaluator::kVectors);
          for (std::size_t row = 0; row < x.rows; ++row) {
            for (std::size_t i = 0; i < width; ++i) {
              ASSERT_TRUE(same_bits(found.y.at(row, i), expected.y.at(row, i)))
                  << format->name << ", width " << width << ", row " << row << ", element " << i;
              ASSERT_TRUE(
                  same_bits(found.residual_out->at(row, i), expected.residual_out->at(row, i)))
                  << format->name << ", width " << width << ", row " << row << ", element " << i;
            }
          }
          compared += 2 * x.rows * width;
        });
      }
    }
  }
  EXPECT_EQ(compared, simd_targets().size() * 3 * 3 * 2 * (kRowsTogether + 2) * 1068);
}

}  // namespace
}  // namespace normcert
