// Every recipe of the catalogue by all evaluators that have it, under every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "catalogue/recipes.hpp"
#include "emulation/each_target.hpp"
#include "emulation/emulate.hpp"
#include "emulation/sample_rows.hpp"
#include "emulation/vector_formats.hpp"

namespace normcert {
namespace {

constexpr std::array<const FloatFormat*, 3> kDtypes = {&kBf16, &kFp16, &kFp32};
constexpr std::size_t kMostRows = 20;

std::size_t differing(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(*a.format, *b.format);
  if (a.bytes == b.bytes) return 0;
  std::size_t count = 0;
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t i = 0; i < a.width; ++i) {
      count += same_bits(a.at(row, i), b.at(row, i)) ? 0 : 1;
    }
  }
  return count;
}

struct Samples {
  explicit Samples(std::size_t width, std::size_t rows) {
    for (std::size_t i = 0; i < kDtypes.size(); ++i) {
      x[i] = sample_rows(*kDtypes[i], rows, width, "x");
      residual[i] = sample_rows(*kDtypes[i], rows, width, "residual");
      weight[i] = sample_rows(*kDtypes[i], 1, width, "weight");
    }
  }
  std::array<Tensor, 3> x;
  std::array<Tensor, 3> residual;
  std::array<Tensor, 3> weight;
};

// Calls `body` with inputs of all formats of x and weight, and with other numbers of rows each
// time; every second time with a residual.
template <typename Body>
void for_each_input(const Samples& samples, std::size_t& turn, Body body) {
  for (std::size_t x = 0; x < kDtypes.size(); ++x) {
    for (std::size_t w = 0; w <= kDtypes.size(); ++w) {
      ++turn;
      const std::size_t rows = 1 + turn % samples.x[x].rows;
      BlockInput input{.x = samples.x[x].view().rows_from(0, rows),
                       .residual = {},
                       .weight = {},
                       .weight_offset = turn % 3 == 0 ? 0.2 : 1.0,
                       .epsilon = 1e-6};
      if (turn % 2 == 0) input.residual = samples.residual[x].view().rows_from(0, rows);
      if (w < kDtypes.size()) input.weight = samples.weight[w].view();
      body(input);
    }
  }
}

// What vectors were not written for: sums that are not of binary32, a mean that is subtracted, a
// bias, a gate.
bool is_for_others(const Recipe& recipe) {
  static const std::set<std::string> kOtherSums = {"naive.bf16", "naive.fp16", "naive.fp64"};
  return kOtherSums.contains(recipe.name) ||
         recipe.statistic.accumulate == Accumulation::kBinary64 ||
         recipe.statistic.accumulate == Accumulation::kExact ||
         recipe.statistic.kind == StatisticKind::kVariance || recipe.weight.bias ||
         recipe.gate != GateMode::kNone;
}

TEST(CatalogueEvaluators, VectorsGiveTheBitsOfBinary64) {
  std::size_t compared = 0;
  std::size_t turn = 0;
  std::set<std::string> in_vectors;
  for (const std::size_t width :
       {1U, 3U, 7U, 8U, 16U, 31U, 64U, 100U, 1000U, 1024U, 4096U, 16384U}) {
    const Samples samples(width, width > 2000 ? (width > 5000 ? 3 : 17) : kMostRows);
    for (const Recipe& recipe : catalogue_recipes()) {
      for_each_input(samples, turn, [&](const BlockInput& input) {
        if (!vectors_emulate(recipe, input)) return;
        in_vectors.insert(recipe.name);
        SCOPED_TRACE(recipe.name + " of width " + std::to_string(width) + ", " +
                     std::string(input.x.format->name));
        const EmulatedBlock expected = emulate_block(recipe, input, Evaluator::kHardware);
        for_each_target([&] {
          const EmulatedBlock found = emulate_block(recipe, input, Evaluator::kVectors);
          ASSERT_EQ(differing(expected.y, found.y), 0U);
          if (input.residual) {
            ASSERT_EQ(differing(*expected.residual_out, *found.residual_out), 0U);
          }
          compared += input.x.size();
        });
      });
      if (HasFailure()) return;
    }
  }
  for (const Recipe& recipe : catalogue_recipes()) {
    EXPECT_NE(in_vectors.contains(recipe.name), is_for_others(recipe)) << recipe.name;
  }
  RecordProperty("compared", std::to_string(compared));
  EXPECT_GT(compared, simd_targets().size() * 20000000);
}

TEST(CatalogueEvaluators, VectorsGiveTheBitsOfExactArithmetic) {
  std::size_t compared = 0;
  std::size_t turn = 0;
  for (const std::size_t width : {1U, 7U, 31U, 64U}) {
    const Samples samples(width, 12);
    for (const Recipe& recipe : catalogue_recipes()) {
      for_each_input(samples, turn, [&](const BlockInput& input) {
        if (!vectors_emulate(recipe, input)) return;
        SCOPED_TRACE(recipe.name + " of width " + std::to_string(width));
        const EmulatedBlock expected = emulate_block(recipe, input, Evaluator::kExact);
        const EmulatedBlock found = emulate_block(recipe, input, Evaluator::kVectors);
        ASSERT_EQ(differing(expected.y, found.y), 0U);
        compared += input.x.size();
      });
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(compared, 100000U);
}

}  // namespace
}  // namespace normcert
