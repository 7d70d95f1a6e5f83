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

}  // namespace
}  // namespace normcert
