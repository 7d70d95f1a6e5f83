// The gate is tested too: an accepting run says what else it would have accepted.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/schema_validator.hpp"
#include "cli/verify_run.hpp"
#include "numeric/random.hpp"
#include "numeric/rounding.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;
using Codes = std::vector<std::string>;

const std::string kRight = "cases/captures/stories260K/right.safetensors";
const std::string kModelFolder = "cases/models/stories260K";

class VerifyPower : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  // x and weight alone: rows N(0,1), as everyday tests have them.
  void write_everyday(const std::string& name) const {
    constexpr std::size_t kRows = 8;
    constexpr std::size_t kWidth = 512;
    const RandomStream random(7, "everyday");
    Tensor x(kBf16, kRows, kWidth);
    Tensor weight(kBf16, 1, kWidth);
    for (std::size_t i = 0; i < kRows * kWidth; ++i) {
      x.set(i / kWidth, i % kWidth, convert(code_of(random.normal(i)), kBf16));
    }
    for (std::size_t i = 0; i < kWidth; ++i) {
      weight.set(0, i, convert(code_of(1 + 0.25 * random.normal(10000 + i)), kBf16));
    }
    TensorView one_row = std::move(weight).share();
    one_row.shape = {kWidth};
    write_capture(at(name), {{"epsilon", "1e-6"}, {"weight_offset", "0"}},
                  {{"x", std::move(x).share()}, {"weight", one_row}});
  }

  EmptyFolder folder_;
};

// The standard cases tell a right kernel from eight defects under everyday limits.
TEST_F(VerifyPower, StandardCasesShowEveryRequiredDefect) {
  const auto run = report_of({"--dim", "512", "--dtype", "bf16", "--epsilon", "1e-6", "--candidate",
                              "hf.llama", "--atol", "1e-2", "--rtol", "1e-2"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.json["power"]["caught"], 8);
  EXPECT_EQ(run.json["power"]["of"], 8);
  const Json& group = run.json["power"]["groups"][0];
  EXPECT_EQ(group["role"], "candidate");
  EXPECT_EQ(group["base"], "hf.llama");
  EXPECT_LT(group["epsilon_rejected"]["above"].get<double>(), 1.2e-6);
}

// The same limits on everyday rows: eleven defects pass, so the gate proves nothing.
TEST_F(VerifyPower, EverydayRowsShowNothingOfEpsilon) {
  write_everyday("x.safetensors");
  const auto run = report_of(
      {at("x.safetensors"), "--candidate", "hf.llama", "--atol", "1e-2", "--rtol", "1e-2"});
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(reason_codes(run.json), Codes{"power"});
  const Json& group = run.json["power"]["groups"][0];
  EXPECT_LT(group["caught"], group["of"]);
  // The first epsilon that these limits notice is thousands of times too great.
  EXPECT_GT(group["epsilon_rejected"]["above"].get<double>(), 1e-3);
  EXPECT_TRUE(group["epsilon_rejected"]["below"].is_null());
  for (const Json& mutant : group["mutants"]) {
    const std::string name = mutant["name"];
    if (name.starts_with("epsilon_")) {
      EXPECT_NE(mutant["outcome"], "caught") << name;
    }
  }
  // A greater width of the gate's eye does not help: the rows are blind.
  EXPECT_EQ(report_of({at("x.safetensors"), "--candidate", "hf.llama", "--require", "bits"}).status,
            3);
  const auto off = report_of({at("x.safetensors"), "--candidate", "hf.llama", "--atol", "1e-2",
                              "--rtol", "1e-2", "--power", "off"});
  EXPECT_EQ(off.status, 0);
  EXPECT_TRUE(off.json["power"].is_null());
  const std::string not_tested = off.json["not_tested"].dump();
  EXPECT_NE(not_tested.find("--power off"), std::string::npos) << not_tested;
  EXPECT_EQ(report_of({at("x.safetensors"), "--candidate", "hf.llama", "--atol", "1e-2", "--rtol",
                       "1e-2", "--allow-inconclusive"})
                .status,
            0);
}

TEST_F(VerifyPower, ARealModelIsPinnedByItsSmallRows) {
  const Words words = {source_file(kRight), "--config", source_file(kModelFolder)};
  const auto run = report_of(words);
  EXPECT_EQ(run.status, 0);
  ASSERT_EQ(run.json["power"]["groups"].size(), 1U);
  const Json& group = run.json["power"]["groups"][0];
  EXPECT_EQ(group["sites"].size(), 11U);
  EXPECT_EQ(group["caught"], 8);
  EXPECT_EQ(group["of"], 8);
  EXPECT_NEAR(group["epsilon_rejected"]["below"].get<double>(), 9.33e-6, 1e-8);
  EXPECT_NEAR(group["epsilon_rejected"]["above"].get<double>(), 1.043e-5, 1e-8);
  ASSERT_EQ(group["unpinned"].size(), 1U);
  EXPECT_EQ(group["unpinned"][0]["site"], "model.norm");
  EXPECT_TRUE(group["epsilon_immaterial_below"].is_null());
  Words full = words;
  full.insert(full.end(), {"--power", "full", "--threads", "1"});
  Json all = report_of(full).json["power"];
  EXPECT_EQ(all["rows"], "full");
  all["rows"] = "sample";
  EXPECT_EQ(all, run.json["power"]);  // few rows: the sample is all of them
}

// A control is eliminated whether or not anything stands in the port's place.
TEST_F(VerifyPower, ControlsAloneAreEliminated) {
  const auto run = report_of(
      {"--dim", "64", "--dtype", "bf16", "--epsilon", "1e-5", "--mutant", "wrong.epsilon_outside"});
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(reason_codes(run.json), Codes{"nothing_observed"});
  EXPECT_EQ(run.json["controls"][0]["rejected"], true);
}

// Where an order of the sum moves the inverse RMS by as much as a rounding to binary16, no row can
// show that rounding, and none is asked to.
TEST_F(VerifyPower, WhatNoRowCanShowIsNotRequired) {
  const auto run = report_of({"--dim", "16384", "--dtype", "fp16", "--epsilon", "1e-5",
                              "--candidate", "hf.llama", "--require", "rounding"});
  EXPECT_EQ(run.status, 0);
  const Json& group = run.json["power"]["groups"][0];
  EXPECT_EQ(group["caught"], group["of"]);
  bool found = false;
  for (const Json& mutant : group["mutants"]) {
    if (mutant["name"] != "inverse_rms_rounded") continue;
    found = true;
    EXPECT_EQ(mutant["outcome"], "inside rounding");
    EXPECT_EQ(mutant["required"], false);
  }
  EXPECT_TRUE(found);
}

TEST_F(VerifyPower, OnlyItsThreeWords) {
  expect_verify_refused({source_file(kRight), "--power", "ful"},
                        {"--power", "ful", "sample, full, off"});
}

}  // namespace
}  // namespace normcert
