// normcert verify and diagnose, through the real binary, on tensors that were stored as float32
// although they were computed in fewer digits.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/verify_run.hpp"
#include "emulation/emulate.hpp"
#include "inference/stored_format.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 96;

struct Made {
  const FloatFormat* weight_format = &kBf16;
  std::size_t rows = 20;
  std::size_t numbers = kWidth;  // of a row that are not zero
  double epsilon = 1e-5;         // that the port has
  bool x_is_wide = false;        // one element of x has all digits of binary32
  std::uint64_t seed = 3;
};

// hf.llama in bf16 (the output wider where the weight is), every tensor dumped as float32.
std::string dump(const EmptyFolder& folder, const Made& made) {
  const RandomStream random(made.seed, "verify dumps");
  Tensor x(kFp32, made.rows, kWidth);
  Tensor weight(*made.weight_format, 1, kWidth);
  for (std::size_t row = 0; row < made.rows; ++row) {
    const double share = static_cast<double>(made.numbers) / kWidth;
    const double rms = std::sqrt(1e-5 * (0.1 + static_cast<double>(row)) / share);
    for (std::size_t k = 0; k < made.numbers; ++k) {
      const Code code = convert(code_of(rms * random.normal(row * kWidth + k)), kBf16);
      x.set(row, k * kWidth / made.numbers, convert(code, kFp32));
    }
  }
  if (made.x_is_wide) x.set(0, 0, code_of(0.001F / 3));
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double w = 1 + 0.25 * random.normal(1'000'000 + i);
    weight.set(0, i, convert(code_of(w), *made.weight_format));
  }
  Recipe recipe;
  recipe.output = OutputFormat::kPromote;
  BlockInput input{.x = made.x_is_wide ? x.view() : held(stored_as(x.view(), kBf16)),
                   .weight = weight.view()};
  input.epsilon = made.epsilon;
  Tensor y = emulate_block(recipe, input).y;
  // Of an x in binary32 the port rounds once, at the end.
  const TensorView written = made.x_is_wide ? stored_as(y.view(), kBf16) : y.view();
  TensorView weight_stored = held(stored_as(weight.view(), kFp32));
  weight_stored.shape = {kWidth};
  std::string path = (folder.path() / "dump.safetensors").string();
  write_capture(
      path, {{"epsilon", "1e-5"}, {"weight_offset", "0"}},
      {{"x", x.view()}, {"weight", weight_stored}, {"y", held(stored_as(held(written), kFp32))}});
  return path;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool says(const Json& report, const std::string& text) {
  return report.dump().find(text) != std::string::npos;
}

Json diagnosed(int status, Words words) {
  words.insert(words.begin(), "diagnose");
  words.insert(words.end(), {"--format", "json"});
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.status, status) << result.out;
  return Json::parse(result.out);
}

TEST(VerifyDumps, ARightPortIsNotAccusedForFewNumbers) {
  const EmptyFolder folder;
  int accused = 0;  // if its numbers were of binary32
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string path = dump(folder, {.rows = 1, .numbers = 4, .seed = seed});
    accused += report_of({path, "--dtype-of", "x=fp32,y=fp32"}).status == 1 ? 1 : 0;
    const auto run = report_of({path});
    EXPECT_EQ(run.status, 3) << seed;
    EXPECT_EQ(run.json.at("results").at(0).at("equality").at("function"), "undecided") << seed;
    EXPECT_EQ(reason_codes(run.json), std::vector<std::string>{"function"}) << seed;
    EXPECT_TRUE(says(run.json.at("verdict"), "--dtype-of x=bf16")) << seed;
    EXPECT_TRUE(says(run.json.at("verdict"), "too few of them")) << seed;
    const Json report = diagnosed(3, {path});
    EXPECT_TRUE(says(report.at("verdict"), "--dtype-of x=bf16")) << seed;
    EXPECT_TRUE(says(report.at("headline"), "--dtype-of x=bf16")) << seed;
    EXPECT_NE(report.at("declared").at("outcome"), "impossible") << seed;
  }
  EXPECT_GE(accused, 1);
}

TEST(VerifyDumps, WhatTheSentenceAsksForSettlesIt) {
  const EmptyFolder folder;
  const std::string path = dump(folder, {.rows = 2, .numbers = 5});
  EXPECT_EQ(report_of({path}).status, 3);
  const auto stated = report_of({path, "--dtype-of", "x=bf16,y=bf16", "--power", "off"});
  EXPECT_EQ(stated.status, 0);
  EXPECT_EQ(stated.json.at("results").at(0).at("dtype"), "bf16");
}

TEST(VerifyDumps, ACastToTheFormatOfXIsFoundWhereTheWeightIsWide) {
  const EmptyFolder folder;
  const std::string path = dump(folder, {.weight_format = &kFp32});
  const auto run = report_of({path});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.json.at("results").at(0).at("equality").at("function"), "same");
  EXPECT_EQ(run.json.at("findings").at(0).at("rule"), "stored-wider");
  EXPECT_TRUE(says(run.json.at("findings"), "x=bf16"));
  const Json report = diagnosed(0, {path});
  EXPECT_EQ(report.at("sites").at(0).at("dtype"), "bf16");
  EXPECT_EQ(report.at("sites").at(0).at("output_dtype"), "fp32");
  EXPECT_TRUE(report.at("sites").at(0).at("stored_as").is_null());
  EXPECT_TRUE(says(report.at("findings"), "x=bf16"));
}

TEST(VerifyDumps, AnotherEpsilonIsRejectedThereToo) {
  const EmptyFolder folder;
  const std::string path = dump(folder, {.weight_format = &kFp32, .epsilon = 1e-6});
  EXPECT_EQ(report_of({path}).status, 1);
  EXPECT_EQ(diagnosed(1, {path}).at("declared").at("outcome"), "impossible");
}

// One element of x that is no number of bf16 says nothing of y.
TEST(VerifyDumps, YIsReadByItsOwnNumbers) {
  const EmptyFolder folder;
  const std::string path = dump(folder, {.weight_format = &kFp32, .x_is_wide = true});
  // No recipe takes binary32 and writes bf16, so no defect of one could be tried.
  const Words port = {path, "--power", "off"};
  const auto run = report_of(port);
  EXPECT_EQ(run.status, 0);
  const Json& result = run.json.at("results").at(0);
  EXPECT_EQ(result.at("dtype"), "bf16");
  EXPECT_LT(result.at("max_ulp_error").at("value").get<double>(), 1);
  EXPECT_TRUE(says(run.json.at("findings"), "--dtype-of says otherwise"));
  EXPECT_EQ(report_of(with(port, {"--max-ulp", "1"})).status, 0);
  const auto stated = report_of(with(port, {"--max-ulp", "1", "--dtype-of", "y=fp32"}));
  EXPECT_EQ(stated.status, 1);
  EXPECT_EQ(stated.json.at("results").at(0).at("dtype"), "fp32");
}

// Limits, rounding and bits: what holds in one reading alone rejects nobody.
TEST(VerifyDumps, NoLevelRejectsForFewNumbers) {
  const EmptyFolder folder;
  const std::string few = dump(folder, {.rows = 2, .numbers = 5});
  const Words port = {few, "--power", "off"};
  for (const Words& level : {Words{"--max-ulp", "2"},
                             {"--require", "rounding", "--source", "hf.llama"},
                             {"--require", "bits", "--source", "hf.llama"}}) {
    const auto run = report_of(with(port, level));
    EXPECT_EQ(run.status, 3) << level.back();
    EXPECT_TRUE(says(run.json.at("verdict"), "--dtype-of")) << level.back();
    EXPECT_EQ(report_of(with(port, with(level, {"--dtype-of", "x=bf16,y=bf16"}))).status, 0)
        << level.back();
    EXPECT_EQ(report_of(with(port, with(level, {"--dtype-of", "x=fp32,y=fp32"}))).status, 1)
        << level.back();
  }
  const std::string wide = dump(folder, {.weight_format = &kFp32});
  const Words rounding = {wide, "--require", "rounding", "--source", "hf.llama"};
  EXPECT_EQ(report_of(with(rounding, {"--power", "off"})).status, 3);
  EXPECT_EQ(report_of(with(rounding, {"--dtype-of", "x=bf16"})).status, 0);
  // Wrong in every reading.
  const std::string wrong = dump(folder, {.rows = 2, .numbers = 5, .epsilon = 1e-3});
  EXPECT_EQ(report_of({wrong, "--max-ulp", "2"}).status, 1);
  EXPECT_EQ(report_of({wrong, "--require", "rounding", "--source", "hf.llama"}).status, 1);
}

TEST(VerifyDumps, TheOptionIsInHelpRerunAndOverrides) {
  EXPECT_NE(run_program({"verify", "--help"}).out.find("--dtype-of x=T,weight=T,y=T"),
            std::string::npos);
  const EmptyFolder folder;
  const std::string path = dump(folder, {});
  const std::string stated = "x=bf16,weight=bf16,y=bf16";
  const auto run = report_of({path, "--dtype-of", stated});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.json.at("rerun").get<std::string>().find("--dtype-of " + stated),
            std::string::npos);
  EXPECT_TRUE(says(run.json.at("overrides"), stated));
  // The same as what the numbers show.
  const auto seen = report_of({path});
  EXPECT_EQ(seen.json.at("results"), run.json.at("results"));
  expect_verify_refused({path, "--dtype-of", "x=bf61"}, {"--dtype-of", "x=bf61"});
  expect_verify_refused({path, "--dtype-of", "z=bf16"}, {"--dtype-of", "z=bf16"});
}

}  // namespace
}  // namespace normcert
