// What a port is held to: limits, levels, source recipes, controls.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/verify_run.hpp"

namespace normcert {
namespace {

using Codes = std::vector<std::string>;

class VerifyLimits : public ::testing::Test {
 protected:
  VerifyLimits() {
    // One error of 2^-4 at 7/8, the other element is right.
    write_capture(at("a.safetensors"), complete_metadata(),
                  {{"x", numbers(kRow)}, {"y", numbers({{0.125, 0.9375}})}});
  }
  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] int status_with(Words words) const {
    words.insert(words.begin(), at("a.safetensors"));
    return run_verify(words).status;
  }

  EmptyFolder folder_;
};

TEST_F(VerifyLimits, OneLimitAloneSetsTheOtherToZero) {
  EXPECT_EQ(status_with({"--atol", "0.0625"}), 0);
  EXPECT_EQ(status_with({"--atol", "0.06249999"}), 1);
  EXPECT_EQ(status_with({"--rtol", "0.0715"}), 0);  // 2^-4 / (7/8) = 0.0714...
  EXPECT_EQ(status_with({"--rtol", "0.0714"}), 1);
  EXPECT_EQ(status_with({"--atol", "0.03125", "--rtol", "0.036"}), 0);
  EXPECT_EQ(status_with({"--atol", "0.03125", "--rtol", "0.035"}), 1);
  const auto [status, report] = report_of({at("a.safetensors"), "--atol", "0.5"});
  EXPECT_EQ(report["criteria"]["tolerance"]["atol"], 0.5);
  EXPECT_EQ(report["criteria"]["tolerance"]["rtol"], 0);
  EXPECT_TRUE(report["criteria"]["max_ulp"].is_null());
  EXPECT_EQ(report["results"][0]["tolerance"]["outside"], 0);
}

TEST_F(VerifyLimits, MaxUlp) {
  // 2^-4 in units of 2^-24.
  EXPECT_EQ(status_with({"--max-ulp", "1048576"}), 0);
  EXPECT_EQ(status_with({"--max-ulp", "1048575", "--dtype-of", "y=fp32"}), 1);
  // Two numbers that fit bf16 do not say that they are of binary32, whose ulp this is.
  EXPECT_EQ(status_with({"--max-ulp", "1048575"}), 3);
  EXPECT_EQ(status_with({"--max-ulp", "0x1p+20"}), 0);
  const auto [status, report] = report_of({at("a.safetensors"), "--max-ulp", "1"});
  EXPECT_EQ(report["results"][0]["tolerance"]["beyond_max_ulp"], 1);
  EXPECT_FALSE(report["results"][0]["tolerance"].contains("outside"));
  EXPECT_EQ(report["results"][0]["max_ulp_error"]["value"], 1048576);
  // A limit looks the same wherever it is named.
  const std::string text = run_verify({at("a.safetensors"), "--max-ulp", "0x1p-3"}).out;
  EXPECT_NE(text.find("<= 0.125 ulp"), std::string::npos) << text;
  EXPECT_NE(text.find("further than 0.125 ulp"), std::string::npos) << text;
  // Both limits must hold.
  EXPECT_EQ(status_with({"--max-ulp", "1048576", "--atol", "1e-9"}), 1);
}

TEST_F(VerifyLimits, WhatIsNoLimitIsRefused) {
  for (const char* option : {"--max-ulp", "--atol", "--rtol"}) {
    for (const char* value : {"inf", "nan", "-1", "1e999", "1 2"}) {
      expect_verify_refused({at("a.safetensors"), option, value},
                            {std::string(option) + ": found " + value +
                             ", expected a finite number of at least 0, such as 1.5"});
    }
    expect_verify_refused({at("a.safetensors"), option, ""},
                          {std::string(option) + ": found an empty value, expected a finite"});
  }
}

TEST_F(VerifyLimits, RequireBitsOfTheSource) {
  const std::string capture =
      source_file("tests/data/captures/bf16-n64/hf.LlamaRMSNorm.cpu.safetensors");
  const auto same = report_of({capture, "--require", "bits", "--source", "hf.llama"});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.json["verdict"]["level"], "bits");
  const auto& equality = same.json["results"][0]["equality"];
  EXPECT_EQ(equality["rounding"]["source"], "hf.llama");
  EXPECT_EQ(equality["bits"]["equal"], 20 * 64);
  EXPECT_EQ(equality["bits"]["of"], 20 * 64);
  const auto other = report_of({capture, "--require", "bits", "--source", "reference.rounded"});
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(reason_codes(other.json), Codes{"bits"});
  EXPECT_LT(other.json["results"][0]["equality"]["bits"]["equal"], 20 * 64);
}

// Real rows of one class, held to the recipe of another that differs in the cast alone.
TEST_F(VerifyLimits, RequireRoundingNamesWhatExplainsThePort) {
  const std::string capture =
      source_file("tests/data/captures/bf16-n64/hf.Olmo2RMSNorm.cpu.safetensors");
  const auto [status, report] =
      report_of({capture, "--require", "rounding", "--source", "hf.llama"});
  EXPECT_EQ(status, 1);
  EXPECT_EQ(reason_codes(report), Codes{"rounding"});
  const std::string text = report["verdict"]["reasons"][0]["text"];
  EXPECT_NE(text.find("rounded as hf.olmo2 rounds (cast after_weight), not as hf.llama: "),
            std::string::npos)
      << text;
  const auto& as = report["results"][0]["equality"]["rounding"]["as"];
  ASSERT_FALSE(as.empty());
  EXPECT_EQ(as[0], "conforming: cast after_weight, (x*r)*w");
  const auto right = report_of({capture, "--require", "rounding", "--source", "hf.olmo2"});
  EXPECT_EQ(right.status, 0);
  EXPECT_EQ(right.json["results"][0]["equality"]["rounding"]["as"],
            (std::vector<std::string>{"hf.olmo2", "conforming: cast after_weight, (x*r)*w"}));
}

// 1/8 and 7/8 are exact; the scalar that makes the first one code greater makes the second two.
TEST_F(VerifyLimits, RequireRoundingNamesTheElementsThatContradictEachOther) {
  write_capture(at("b.safetensors"), complete_metadata(),
                {{"x", numbers(kRow)}, {"y", numbers({{0.125 + 0x1p-26, 0.875}})}});
  const Words words = {at("b.safetensors"), "--require", "rounding", "--source", "hf.llama"};
  const auto [status, report] = report_of(words);
  EXPECT_EQ(status, 1);
  const auto& found = report["results"][0]["equality"]["rounding"]["contradiction"];
  ASSERT_EQ(found["elements"].size(), 2U) << found.dump(1);
  EXPECT_EQ(found["scalar"], "inverse RMS");
  EXPECT_EQ(found["elements"][0]["index"], 0);
  EXPECT_EQ(found["elements"][0]["x"], "0x1p+0");
  EXPECT_EQ(found["elements"][0]["got"], "0x1.000002p-3");
  EXPECT_EQ(found["elements"][0]["needs"]["least_hex"], "0x1.000002p-3");
  EXPECT_EQ(found["elements"][0]["needs"]["greatest_hex"], "0x1.000002p-3");
  EXPECT_EQ(found["elements"][1]["index"], 1);
  EXPECT_EQ(found["elements"][1]["needs"]["least_hex"], "0x1p-3");
  EXPECT_EQ(found["elements"][1]["needs"]["greatest_hex"], "0x1p-3");
  const std::string expected =
      "no value of row 0's inverse RMS, whatever the order of the sum, gives its outputs: element "
      "0 (x 0x1p+0, got 0x1.000002p-3) needs 0.12500001 (0x1.000002p-3), element 1 (x 0x1.cp+2, "
      "got 0x1.cp-1) needs 0.125 (0x1p-3)";
  const std::string text = report["verdict"]["reasons"][0]["text"];
  EXPECT_NE(text.find(expected), std::string::npos) << text;
  EXPECT_NE(run_verify(words).out.find(expected), std::string::npos);
  Words markdown = words;
  markdown.insert(markdown.end(), {"--format", "markdown"});
  const std::string page = run_verify(markdown).out;
  EXPECT_NE(page.find("| 0, 0 | `0x1p+0` | `none` | `0x1.000002p-3` | inverse RMS | "
                      "0.125000015 to 0.125000015, `0x1.000002p-3` to `0x1.000002p-3` |"),
            std::string::npos)
      << page;
}

TEST_F(VerifyLimits, WithoutSourceTheFirstCandidateElseTheExactResult) {
  const std::string capture =
      source_file("tests/data/captures/bf16-n64/hf.LlamaRMSNorm.cpu.safetensors");
  const auto source = [&](const Words& words) {
    Words all = {capture, "--require", "bits"};
    all.insert(all.end(), words.begin(), words.end());
    const auto report = report_of(all).json;
    return report["results"][0]["equality"]["rounding"]["source"].get<std::string>();
  };
  EXPECT_EQ(source({}), "reference.rounded");
  EXPECT_EQ(source({"--candidate", "hf.t5", "--candidate", "hf.llama"}), "hf.t5");
  EXPECT_EQ(source({"--candidate", "hf.t5", "--source", "hf.llama"}), "hf.llama");
}

// Rounding as "the source recipe" rounds, where nobody named one.
TEST_F(VerifyLimits, SaysThatItJudgesByTheExactResultRoundedOnce) {
  const auto finding = [&](const Words& words) -> std::string {
    Words all = {at("a.safetensors")};
    all.insert(all.end(), words.begin(), words.end());
    const auto report = report_of(all).json;
    if (report["findings"].empty()) return "";
    EXPECT_EQ(report["findings"][0]["rule"], "source-recipe");
    return report["findings"][0]["text"].get<std::string>();
  };
  for (const char* level : {"rounding", "bits"}) {
    const std::string text = finding({"--require", level});
    EXPECT_TRUE(
        text.starts_with("judged by reference.rounded, the exact result rounded once: "
                         "cases 1 of 1; no source recipe is named (--source NAME"))
        << text;
    EXPECT_EQ(finding({"--require", level, "--source", "reference.rounded"}),
              "judged by reference.rounded, the exact result rounded once: cases 1 of 1");
    EXPECT_EQ(finding({"--require", level, "--source", "hf.llama"}), "");
  }
  EXPECT_EQ(finding({"--max-ulp", "1"}), "");
  const std::string text = run_verify({at("a.safetensors"), "--require", "rounding"}).out;
  EXPECT_NE(text.find("  note        judged by reference.rounded, the exact"), std::string::npos)
      << text;
}

TEST_F(VerifyLimits, NamedRecipesBesideAnOutputAreYardsticks) {
  const auto [status, report] =
      report_of({at("a.safetensors"), "--candidate", "reference.rounded", "--candidate",
                 "wrong.epsilon_outside", "--max-ulp", "1048576"});
  EXPECT_EQ(status, 0);  // a rejected yardstick says nothing about the port
  ASSERT_EQ(report["results"].size(), 3U);
  EXPECT_EQ(report["results"][0]["role"], "observed");
  EXPECT_EQ(report["results"][1]["role"], "yardstick");
  EXPECT_EQ(report["results"][2]["role"], "yardstick");
  EXPECT_EQ(report["results"][2]["candidate"], "wrong.epsilon_outside");
  EXPECT_EQ(report["results"][0]["bit_identical_to_recipe"]["reference.rounded"], 1);
}

TEST_F(VerifyLimits, AControlThatPassesMakesTheRunInconclusive) {
  const auto caught =
      report_of({at("a.safetensors"), "--atol", "0.1", "--mutant", "wrong.epsilon_outside"});
  EXPECT_EQ(caught.status, 0);
  EXPECT_TRUE(caught.json["controls"][0]["rejected"].get<bool>());
  EXPECT_FALSE(caught.json["controls"][0]["by"].is_null());
  const auto passed =
      report_of({at("a.safetensors"), "--atol", "5", "--mutant", "wrong.epsilon_outside"});
  EXPECT_EQ(passed.status, 3);
  EXPECT_EQ(reason_codes(passed.json), Codes{"control_accepted"});
  EXPECT_FALSE(passed.json["controls"][0]["rejected"].get<bool>());
  EXPECT_TRUE(passed.json["controls"][0]["by"].is_null());
  // Rejected beats inconclusive.
  EXPECT_EQ(status_with({"--atol", "5", "--max-ulp", "1", "--mutant", "reference.rounded"}), 1);
}

// What is called the formula multiplies with offset + weight.
TEST_F(VerifyLimits, TheNaiveRecipesHonourTheOffset) {
  write_capture(at("b.safetensors"), {{"epsilon", "39"}, {"weight_offset", "1"}},
                {{"x", numbers(kRow)}, {"weight", weights({1, 3})}, {"y", numbers({{0.25, 3.5}})}});
  for (const char* recipe :
       {"naive.fp64", "naive.sequential_fp32", "naive.kahan_fp32", "naive.bf16", "naive.fp16"}) {
    const auto [status, report] =
        report_of({at("b.safetensors"), "--require", "bits", "--source", recipe});
    EXPECT_EQ(status, 0) << recipe << report["results"][0]["equality"].dump(1);
  }
}

TEST_F(VerifyLimits, APatternNamesSeveralRecipes) {
  const auto [status, report] = report_of({at("a.safetensors"), "--atol", "0.1", "--mutant",
                                           "wrong.epsilon_outside", "--mutant", "wrong.*"});
  ASSERT_GE(report["controls"].size(), 3U);
  EXPECT_EQ(report["controls"][0]["name"], "wrong.epsilon_outside");
  std::size_t same = 0;
  for (const auto& control : report["controls"]) {
    if (control["name"] == "wrong.epsilon_outside") ++same;
  }
  EXPECT_EQ(same, 1U);
}

TEST_F(VerifyLimits, ARecipeFromAFile) {
  const auto [status, report] =
      report_of({at("a.safetensors"), "--atol", "0.1", "--candidate",
                 source_file("cases/recipes/wrong.epsilon_outside.json")});
  EXPECT_EQ(status, 0);
  EXPECT_EQ(report["results"][1]["candidate"], "wrong.epsilon_outside");
}

}  // namespace
}  // namespace normcert
