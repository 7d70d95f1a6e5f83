// normcert diagnose through the real binary, on outputs of other functions than the declared one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/diagnose_run.hpp"
#include "emulation/emulate.hpp"
#include "formats/safetensors.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

TEST(Diagnose, ALayerNormIsNamed) {
  const SafetensorsFile file =
      read_safetensors(source_file("tests/data/captures/fp16-n64/hf.LlamaRMSNorm.cpu.safetensors"));
  BlockInput input{.x = file.view(*file.find("x")), .weight = file.view(*file.find("weight"))};
  input.epsilon = 1e-6;
  Recipe layer_norm;
  layer_norm.name = "layer_norm";
  layer_norm.statistic.kind = StatisticKind::kVariance;
  layer_norm.cast = CastPoint::kAfterWeight;
  const EmptyFolder folder;
  const std::string path = (folder.path() / "layer_norm.safetensors").string();
  TensorView weight = *input.weight;
  weight.shape = {weight.width};
  write_capture(
      path, {{"epsilon", "1e-6"}, {"weight_offset", "0"}},
      {{"x", input.x}, {"weight", weight}, {"y", emulate_block(layer_norm, input).y.view()}});
  const Json report = diagnosed(1, {path});
  EXPECT_EQ(report.at("survivors").at(0).at("statistic"), "variance");
  EXPECT_NE(report.at("headline").get<std::string>().find("does not compute the declared function"),
            std::string::npos);
}

// Outputs of a recipe for rows with a number in every place, or one number throughout.
Words written(const EmptyFolder& folder, const Recipe& recipe, bool constant) {
  constexpr std::size_t kRows = 12;
  constexpr std::size_t kWidth = 256;
  const RandomStream random(5, "rows");
  std::vector<std::vector<double>> rows(kRows, std::vector<double>(kWidth));
  std::vector<double> gains(kWidth);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double scale = row % 2 == 0 ? 1e-3 : 1;
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double number = random.normal(row * kWidth + (constant ? 0 : i));
      rows[row][i] = scale * number;
    }
  }
  for (std::size_t i = 0; i < kWidth; ++i) gains[i] = 1 + 0.2 * random.normal(kRows * kWidth + i);
  const TensorView x = numbers(rows, kBf16);
  const TensorView weight = weights(gains, kBf16);
  const BlockInput input{
      .x = x, .residual = {}, .weight = weight, .weight_offset = 0, .epsilon = 1e-6};
  const std::string path = (folder.path() / "written.safetensors").string();
  write_capture(path, {{"epsilon", "1e-6"}},
                {{"x", x}, {"weight", weight}, {"y", emulate_block(recipe, input).y.view()}});
  return {path};
}

std::size_t lines_with(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    at = std::min(text.find('\n', at), text.size() - 1);
    ++count;
  }
  return count;
}

TEST(Diagnose, WhatConstantRowsDoNotTellApartIsOneLine) {
  const EmptyFolder folder;
  Recipe recipe;
  recipe.cast = CastPoint::kAfterWeight;
  const Words words = written(folder, recipe, true);
  const ProgramResult text = run_diagnose(words);
  EXPECT_EQ(text.status, 3) << text.out;
  EXPECT_EQ(lines_with(text.out, "also fits   variance"), 1U) << text.out;
  EXPECT_NE(
      text.out.find("no epsilon, gain = weight / gain = 1 + weight / the weight ignored / "
                    "gain weight, applied twice: nothing here tells these 20 functions apart"),
      std::string::npos)
      << text.out;
  Words markdown = words;
  markdown.insert(markdown.end(), {"--format", "markdown"});
  EXPECT_EQ(lines_with(run_diagnose(markdown).out, "| survives | variance"), 1U);
  // Each by itself, with its roundings.
  std::size_t variances = 0;
  const Json report = diagnosed(3, words);
  for (const Json& one : report.at("survivors")) {
    variances += one.at("statistic") == "variance" ? 1U : 0U;
  }
  EXPECT_GE(variances, 20U);
}

TEST(Diagnose, AStatisticForEachGroupIsNamed) {
  const EmptyFolder folder;
  Recipe recipe;
  recipe.statistic.group = 64;
  Words words = written(folder, recipe, false);
  words.insert(words.end(), {"--weight-offset", "0"});
  const ProgramResult text = run_diagnose(words);
  EXPECT_EQ(text.status, 1) << text.out;
  EXPECT_NE(text.out.find("mean of squares of each group of 64, epsilon inside the root"),
            std::string::npos)
      << text.out;
  const Json report = diagnosed(1, words);
  EXPECT_EQ(report.at("survivors").at(0).at("statistic"), "mean_square_per_group_64");
  EXPECT_NE(report.at("headline").get<std::string>().find("does not compute the declared function"),
            std::string::npos);
}

// Every sixteenth number of a row is subnormal in fp16, although none of the outputs is.
Words with_subnormal_inputs(const EmptyFolder& folder, bool flushed) {
  constexpr std::size_t kWidth = 128;
  const RandomStream random(6, "subnormal");
  std::vector<std::vector<double>> rows(12, std::vector<double>(kWidth));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double size = i % 16 == 0 ? 3e-5 : row % 2 == 0 ? 1e-3 : 1e-2;
      rows[row][i] = size * (0.5 + random.uniform(row * kWidth + i)) * (i % 3 == 0 ? -1 : 1);
    }
  }
  std::vector<double> gains(kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) gains[i] = 1 + 0.2 * random.normal(2000 + i);
  const TensorView x = numbers(rows, kFp16);
  const TensorView weight = weights(gains, kFp16);
  Recipe recipe;
  recipe.cast = CastPoint::kAfterWeight;
  Tensor y =
      emulate_block(recipe,
                    {.x = x, .residual = {}, .weight = weight, .weight_offset = 0, .epsilon = 1e-6})
          .y;
  for (std::size_t row = 0; flushed && row < y.rows; ++row) {
    for (std::size_t i = 0; i < kWidth; i += 16) {
      y.set(row, i, zero_of(kFp16, x.at(row, i).negative()));
    }
  }
  const std::string path = (folder.path() / "subnormal.safetensors").string();
  write_capture(path, {{"epsilon", "1e-6"}, {"weight_offset", "0"}},
                {{"x", x}, {"weight", weight}, {"y", y.view()}});
  return {path};
}

// The function is the declared one but for those elements, which are left out: no accusation, and
// no clean bill.
TEST(Diagnose, ZerosForSubnormalNumbersAreSaidFirst) {
  const EmptyFolder folder;
  const Words words = with_subnormal_inputs(folder, true);
  const Json report = diagnosed(3, words);
  EXPECT_EQ(report.at("declared").at("outcome"), "fits");
  EXPECT_EQ(report.at("survivors").at(0).at("statistic"), "mean_square");
  ASSERT_FALSE(report.at("verdict").at("reasons").empty());
  const Json& reason = report.at("verdict").at("reasons").at(0);
  EXPECT_EQ(reason.at("code"), "flush");
  EXPECT_NE(reason.at("text").get<std::string>().find(
                "all 96 elements whose x is subnormal in fp16 are 0"),
            std::string::npos)
      << reason;
  EXPECT_TRUE(
      report.at("headline")
          .get<std::string>()
          .starts_with(
              "subnormal numbers are written as zero; elsewhere the declared epsilon 1e-6 fits"))
      << report.at("headline");
  const Json right = diagnosed(0, with_subnormal_inputs(folder, false));
  EXPECT_TRUE(right.at("verdict").at("reasons").empty());
}

// What is not judged is said, and where it is judged.
TEST(Diagnose, Float64IsRefusedByName) {
  const EmptyFolder folder;
  const RandomStream random(7, "float64");
  std::vector<std::vector<double>> rows(6, std::vector<double>(32));
  for (std::size_t k = 0; k < 6 * 32; ++k) rows[k / 32][k % 32] = random.normal(k);
  const TensorView narrow = numbers(rows, kFp32);
  const TensorView wide = numbers(rows, kFp64);
  const TensorView ones = weights(std::vector<double>(32, 1.0), kFp32);
  const std::string path = (folder.path() / "wide.safetensors").string();
  const auto with = [&](const TensorView& x, const TensorView& y) {
    write_capture(path, {{"epsilon", "1e-6"}, {"weight_offset", "0"}},
                  {{"x", x}, {"weight", ones}, {"y", y}});
    return run_diagnose({path});
  };
  const ProgramResult of_y = with(narrow, wide);
  EXPECT_EQ(of_y.status, 2) << of_y.err;
  EXPECT_TRUE(of_y.out.empty());
  EXPECT_NE(of_y.err.find("y is fp64"), std::string::npos) << of_y.err;
  EXPECT_NE(of_y.err.find("verify judges fp64 by limits"), std::string::npos) << of_y.err;
  const ProgramResult of_x = with(wide, narrow);
  EXPECT_EQ(of_x.status, 2) << of_x.err;
  EXPECT_NE(of_x.err.find("x is fp64"), std::string::npos) << of_x.err;
}

}  // namespace
}  // namespace normcert
