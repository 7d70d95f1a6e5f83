// Epsilon, weight offset and weight: who is asked first, who contradicts, and that nothing is
// assumed where nobody says it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/verify_run.hpp"

namespace normcert {
namespace {

// y for the row (1, 7) with epsilon 11: (1/6, 7/6).
const std::vector<std::vector<double>> kSixths = {{1.0 / 6, 7.0 / 6}};

class VerifyDeclarations : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  // One norm, model.norm, of width 2; epsilon 39.
  void write_config(const std::string& type = "llama", const std::string& epsilon = "39") const {
    write_text(at("config.json"), R"({"model_type": ")" + type +
                                      R"(", "hidden_size": 2, "num_hidden_layers": 1,
      "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 2,
      "torch_dtype": "float32", "rms_norm_eps": )" +
                                      epsilon + "}");
  }
  void write(const TextPairs& metadata, std::vector<SafetensorsEntry> more = {},
             const std::vector<std::vector<double>>& y = kRight,
             const std::string& site = "") const {
    std::vector<SafetensorsEntry> entries = {{site + "x", numbers(kRow)}, {site + "y", numbers(y)}};
    entries.insert(entries.end(), more.begin(), more.end());
    write_capture(at("a.safetensors"), metadata, entries);
  }
  [[nodiscard]] VerifyReportResult verify(const Words& more = {}) const {
    Words words = {at("a.safetensors"), "--max-ulp", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return report_of(words);
  }
  [[nodiscard]] static std::string epsilon_of(const VerifyReportResult& found) {
    return found.json["cases"][0]["epsilon"]["text"];
  }

  EmptyFolder folder_;
};

TEST_F(VerifyDeclarations, EpsilonOfTheOptionBeatsAll) {
  write_config();
  write({{"epsilon", "39"}, {"weight_offset", "0"}, {"weight", "none"}}, {}, kSixths,
        "model.norm.");
  const auto found = verify({"--config", at("config.json"), "--epsilon", "11"});
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(epsilon_of(found), "11");
  const auto& override = found.json["overrides"][0];
  EXPECT_EQ(override["option"], "--epsilon");
  EXPECT_EQ(override["value"], "11");
  EXPECT_EQ(override["replaces"], "39");
}

TEST_F(VerifyDeclarations, EpsilonOfTheConfigBeatsTheCapture) {
  write_config();
  write(complete_metadata("11"), {}, kRight, "model.norm.");
  const auto found = verify({"--config", at("config.json")});
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(epsilon_of(found), "39");
  ASSERT_GE(found.json["findings"].size(), 1U);
  EXPECT_EQ(found.json["findings"][0]["rule"], "declarations-disagree");
  EXPECT_EQ(found.json["findings"][0]["site"], "model.norm");
  const std::string text = found.json["findings"][0]["text"];
  EXPECT_NE(text.find("39"), std::string::npos) << text;
  EXPECT_NE(text.find("11"), std::string::npos) << text;
}

TEST_F(VerifyDeclarations, TheSameBinary32IsNoDisagreement) {
  write_config("llama", "1e-6");
  write(complete_metadata("9.99999997e-07"), {}, {{0.2, 1.4}}, "model.norm.");
  const auto found = verify({"--config", at("config.json"), "--power", "off"});
  EXPECT_EQ(found.status, 0);
  // That the capture says `weight: none` where the model has one is another matter.
  for (const auto& finding : found.json["findings"]) {
    EXPECT_EQ(finding["text"].get<std::string>().find("epsilon"), std::string::npos);
  }
}

TEST_F(VerifyDeclarations, EpsilonOfTheCaptureWhereNothingElseSaysOne) {
  write(complete_metadata("11"), {}, kSixths);
  const auto found = verify();
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(epsilon_of(found), "11");
}

TEST_F(VerifyDeclarations, WithoutEpsilonNothingIsAssumed) {
  write({{"weight_offset", "0"}, {"weight", "none"}});
  expect_verify_refused({at("a.safetensors"), "--max-ulp", "1"},
                        {"a.safetensors", "no epsilon", "--epsilon"});
  write({{"epsilon", "none given"}, {"weight_offset", "0"}, {"weight", "none"}});
  expect_verify_refused({at("a.safetensors"), "--max-ulp", "1"}, {"no epsilon"});
  EXPECT_EQ(verify({"--epsilon", "39"}).status, 0);
}

TEST_F(VerifyDeclarations, WithoutWeightNothingIsAssumed) {
  write({{"epsilon", "39"}, {"weight_offset", "0"}});
  expect_verify_refused({at("a.safetensors"), "--max-ulp", "1"},
                        {"a.safetensors", "no weight", "weight: none"});
}

TEST_F(VerifyDeclarations, WithoutOffsetNothingIsAssumed) {
  write({{"epsilon", "39"}}, {{"weight", weights({1, 1})}});
  expect_verify_refused({at("a.safetensors"), "--max-ulp", "1"},
                        {"no weight offset", "--weight-offset"});
  EXPECT_EQ(verify({"--weight-offset", "0"}).status, 0);
  EXPECT_EQ(verify({"--weight-offset", "1"}).status, 1);
}

TEST_F(VerifyDeclarations, OffsetOfTheOptionThenTheCaptureThenTheFamily) {
  const TensorView ones = weights({1, 1});
  const std::vector<std::vector<double>> doubled = {{0.25, 1.75}};
  // Gemma's gain is 1 + weight.
  write_config("gemma");
  write({{"epsilon", "39"}}, {{"model.norm.weight", ones}}, doubled, "model.norm.");
  EXPECT_EQ(verify({"--config", at("config.json")}).status, 0);
  write({{"epsilon", "39"}, {"weight_offset", "0"}}, {{"model.norm.weight", ones}}, kRight,
        "model.norm.");
  const auto contradicted = verify({"--config", at("config.json")});
  EXPECT_EQ(contradicted.status, 0);
  ASSERT_EQ(contradicted.json["findings"].size(), 1U);
  EXPECT_EQ(contradicted.json["findings"][0]["rule"], "offset_contradicts");
  const auto by_option = verify({"--config", at("config.json"), "--weight-offset", "1"});
  EXPECT_EQ(by_option.status, 1);
  EXPECT_EQ(by_option.json["cases"][0]["weight_offset"], "1");
  EXPECT_EQ(by_option.json["overrides"][0]["option"], "--weight-offset");
}

TEST_F(VerifyDeclarations, WeightOfTheCaptureThenOfTheCheckpoint) {
  std::filesystem::create_directory(at("model"));
  write_config();
  std::filesystem::rename(at("config.json"), at("model/config.json"));
  write_capture(at("model/model.safetensors"), {{"format", "pt"}},
                {{"model.norm.weight", weights({2, 2})}});
  const std::vector<std::vector<double>> doubled = {{0.25, 1.75}};
  write({{"epsilon", "39"}}, {}, doubled, "model.norm.");
  const auto from_checkpoint = verify({"--config", at("model")});
  EXPECT_EQ(from_checkpoint.status, 0);
  EXPECT_EQ(from_checkpoint.json["cases"][0]["weight_dtype"], "fp32");
  EXPECT_EQ(verify({"--config", at("model/config.json"), "--weights", at("model")}).status, 0);
  // A folder that holds none is no answer to --weights.
  std::filesystem::create_directory(at("empty"));
  expect_verify_refused(
      {at("a.safetensors"), "--config", at("model/config.json"), "--weights", at("empty")},
      {"empty: --weights: found a folder without weights"});
  write({{"epsilon", "39"}}, {{"model.norm.weight", weights({1, 1})}}, kRight, "model.norm.");
  EXPECT_EQ(verify({"--config", at("model")}).status, 0);
  // A checkpoint whose weight has another width.
  write_capture(at("model/model.safetensors"), {{"format", "pt"}},
                {{"model.norm.weight", weights({2, 2, 2})}});
  write({{"epsilon", "39"}}, {}, doubled, "model.norm.");
  expect_verify_refused({at("a.safetensors"), "--config", at("model"), "--max-ulp", "1"},
                        {"weight of 3 elements", "2, the width of x"});
}

TEST_F(VerifyDeclarations, ASiteThatTheModelDoesNotHaveIsRefused) {
  write_config();
  std::filesystem::remove(at("a.safetensors"));
  write_capture(at("a.safetensors"), complete_metadata(),
                {{"x", numbers({{1, 7, 1}})}, {"y", numbers({{1, 7, 1}})}});
  expect_verify_refused({at("a.safetensors"), "--config", at("config.json"), "--max-ulp", "1"},
                        {"3", "2"});
}

TEST_F(VerifyDeclarations, OptionsInsteadOfAConfigComeTogether) {
  expect_verify_refused({"--dim", "4", "--candidate", "hf.llama"}, {"--dim", "--dtype"});
  expect_verify_refused({"--dim", "4", "--dtype", "bf16", "--candidate", "hf.llama"},
                        {"--epsilon"});
  expect_verify_refused({"--cases", "standard", "--candidate", "hf.llama"}, {"standard cases"});
  for (const char* value : {"0", "-1", "x", "16777217", "1.5"}) {
    expect_verify_refused({"--dim", value, "--dtype", "bf16", "--epsilon", "1e-6"},
                          {std::string("--dim: found ") + value});
  }
  expect_verify_refused({"--dim", "4", "--dtype", "bf61", "--epsilon", "1e-6"},
                        {"--dtype: found bf61", "did you mean \"bf16\""});
  for (const char* value : {"0", "-1e-6", "nan", "1e", "1e999"}) {
    expect_verify_refused({"--dim", "4", "--dtype", "bf16", "--epsilon", value},
                          {std::string("--epsilon: found ") + value});
  }
  for (const char* value : {"inf", "one", ""}) {
    expect_verify_refused({"--weight-offset", value}, {"--weight-offset"});
  }
}

}  // namespace
}  // namespace normcert
