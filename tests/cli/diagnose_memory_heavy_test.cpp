// The memory of normcert diagnose does not grow with the rows: beside the mapped files at most 16
// MiB.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "catalogue/recipes.hpp"
#include "cli/run_program.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors_writer.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidth = 16;
constexpr long kMostKib = 16 * 1024;

// Rows of sizes over twelve octaves, y as hf.llama computes it; no row is there twice.
void write_capture(const std::filesystem::path& path, std::size_t rows) {
  const RandomStream random(1, "diagnose memory");
  Tensor x(kBf16, rows, kWidth);
  Tensor weight(kBf16, 1, kWidth);
  for (std::size_t row = 0; row < rows; ++row) {
    const double size = std::exp2(-12 * random.uniform((std::uint64_t{1} << 40) + row));
    for (std::size_t i = 0; i < kWidth; ++i) {
      x.set(row, i, convert(code_of(size * random.normal(row * kWidth + i)), kBf16));
    }
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double number = 1 + 0.25 * random.normal((std::uint64_t{1} << 41) + i);
    weight.set(0, i, convert(code_of(number), kBf16));
  }
  const EmulatedBlock block =
      emulate_block(recipe_named("hf.llama", "diagnose memory"), {.x = x.view(),
                                                                  .residual = {},
                                                                  .weight = weight.view(),
                                                                  .weight_offset = 0,
                                                                  .epsilon = 1e-6});
  TensorView weights = weight.view();
  weights.shape = {kWidth};
  write_safetensors(path.string(), {{"epsilon", "1e-6"}, {"weight_offset", "0"}},
                    {{"x", x.view()}, {"weight", weights}, {"y", block.y.view()}});
}

TEST(DiagnoseMemory, IsFlatInRows) {
  const EmptyFolder folder;
  for (const std::size_t rows : {std::size_t{4096}, std::size_t{400'000}}) {
    const std::filesystem::path path = folder.path() / (std::to_string(rows) + ".safetensors");
    write_capture(path, rows);
    const ProgramResult result = run_program({"diagnose", path.string()}, {.watches_memory = true});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_GT(result.most_own_memory, 0);
    EXPECT_LE(result.most_own_memory, kMostKib) << rows << " rows";
    std::printf("%zu rows: %.1f MiB\n", rows, static_cast<double>(result.most_own_memory) / 1024);
  }
}

}  // namespace
}  // namespace normcert
