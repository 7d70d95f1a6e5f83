// The memory of normcert diagnose does not grow with the rows: beside the mapped files at most 16
// MiB.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "catalogue/recipes.hpp"
#include "cli/run_program.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors_writer.hpp"
#include "inference/stored_format.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

constexpr std::size_t kWidth = 16;
constexpr long kMostKib = 16 * 1024;

enum class Port { kRight, kFloat32Dump, kGroups, kNone };

struct Measured {
  const char* name;
  Port port;
  int status;
};
constexpr std::array<Measured, 4> kMeasured = {{{"a right port", Port::kRight, 0},
                                                {"its float32 dump", Port::kFloat32Dump, 0},
                                                {"a statistic for each group", Port::kGroups, 1},
                                                {"factors from nowhere", Port::kNone, 3}}};

TensorView outputs(Port port, const BlockInput& input) {
  Recipe recipe = recipe_named("hf.llama", "diagnose memory");
  if (port == Port::kGroups) recipe.statistic.group = 8;
  Tensor y = emulate_block(recipe, input).y;
  const RandomStream random(2, "diagnose memory");
  for (std::size_t row = 0; port == Port::kNone && row < y.rows; ++row) {
    const double factor = 1 + 0.1 * random.uniform(row);
    for (std::size_t i = 0; i < y.width; ++i) {
      y.set(row, i, convert(code_of(factor * to_binary64(y.at(row, i))), kBf16));
    }
  }
  return std::move(y).share();
}

// Rows of sizes over twelve octaves, y as hf.llama computes it; no row is there twice.
void write_capture(const std::filesystem::path& path, std::size_t rows, Port port) {
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
  const TensorView y = outputs(port, {.x = x.view(),
                                      .residual = {},
                                      .weight = weight.view(),
                                      .weight_offset = 0,
                                      .epsilon = 1e-6});
  const auto stored = [&](const TensorView& tensor) {
    return port == Port::kFloat32Dump ? held(stored_as(tensor, kFp32)) : tensor;
  };
  TensorView weights = stored(weight.view());
  weights.shape = {kWidth};
  write_safetensors(path.string(), {{"epsilon", "1e-6"}, {"weight_offset", "0"}},
                    {{"x", stored(x.view())}, {"weight", weights}, {"y", stored(y)}});
}

TEST(DiagnoseMemory, IsFlatInRows) {
  const EmptyFolder folder;
  for (const Measured& measured : kMeasured) {
    for (const std::size_t rows : {std::size_t{4096}, std::size_t{400'000}}) {
      const std::filesystem::path path = folder.path() / (std::to_string(rows) + ".safetensors");
      write_capture(path, rows, measured.port);
      const ProgramResult result =
          run_program({"diagnose", path.string()}, {.watches_memory = true});
      EXPECT_EQ(result.status, measured.status) << result.out << result.err;
      EXPECT_GT(result.most_own_memory, 0);
      EXPECT_LE(result.most_own_memory, kMostKib) << rows << " rows of " << measured.name;
      std::printf("%s, %zu rows: %.1f MiB\n", measured.name, rows,
                  static_cast<double>(result.most_own_memory) / 1024);
    }
  }
}

}  // namespace
}  // namespace normcert
