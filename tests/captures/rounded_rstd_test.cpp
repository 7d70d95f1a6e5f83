// The recipe that the README writes for a kernel which rounds the inverse RMS to bf16 and
// multiplies (w r) x, against the same steps written out.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/recipe_file.hpp"
#include "emulation/emulate.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidth = 8;  // few enough that the sum runs in the order of the elements
constexpr std::size_t kRows = 500;

float to_bf16(float value) {
  return static_cast<float>(to_binary64(convert(code_of(value), kBf16)));
}

TEST(RoundedRstd, TheReadmesRecipeIsThatKernel) {
  const Recipe recipe = read_recipe_file(NORMCERT_SOURCE_DIR "/cases/examples/rounded_rstd.json");
  const RandomStream random(8, "rounded rstd");
  Tensor x(kBf16, kRows, kWidth);
  Tensor weight(kBf16, 1, kWidth);
  std::uint64_t index = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      x.set(row, i, convert(code_of(random.normal(index++)), kBf16));
    }
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    weight.set(0, i, convert(code_of(1 + 0.25 * random.normal(index++)), kBf16));
  }
  const EmulatedBlock block = emulate_block(recipe, {.x = x.view(),
                                                     .residual = {},
                                                     .weight = weight.view(),
                                                     .weight_offset = 0,
                                                     .epsilon = 1e-6});
  std::size_t rounding_shows = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      const auto element = static_cast<float>(to_binary64(x.at(row, i)));
      sum += element * element;
    }
    const float rstd = 1 / std::sqrt(sum / static_cast<float>(kWidth) + 1e-6F);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const auto element = static_cast<float>(to_binary64(x.at(row, i)));
      const auto gain = static_cast<float>(to_binary64(weight.at(0, i)));
      EXPECT_EQ(to_binary64(block.y.at(row, i)), double{to_bf16((gain * to_bf16(rstd)) * element)})
          << row << ", " << i;
      if (to_bf16((gain * rstd) * element) != to_bf16((gain * to_bf16(rstd)) * element)) {
        ++rounding_shows;
      }
    }
  }
  EXPECT_GT(rounding_shows, kRows * kWidth / 10);
}

}  // namespace
}  // namespace normcert
