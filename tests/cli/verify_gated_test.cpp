// Gated norms through the real binary: captures of transformers, right, under another epsilon and
// with what people do to captures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/schema_validator.hpp"
#include "cli/verify_run.hpp"
#include "formats/safetensors.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

const std::string kCaptures = "tests/data/captures/";
const std::string kAfter = kCaptures + "bf16-n64/hf.Qwen3NextRMSNormGated.cpu.safetensors";
const std::string kBefore = kCaptures + "bf16-n1024/hf.MambaRMSNormGated.cuda.safetensors";

std::string function_of(const Json& report) {
  return report.at("results").at(0).at("equality").at("function").get<std::string>();
}

void expect_valid(const Json& report) {
  if (!validator_is_there()) GTEST_SKIP() << "no python3-jsonschema";
  for (const std::string& said : validated(run_program({"schema", "verify"}).out,
                                           nlohmann::json::array({nlohmann::json(report)}))) {
    EXPECT_EQ(said, "ok");
  }
}

// The capture with metadata left out or changed (an empty value leaves it out), and without some
// tensors.
std::string changed(const EmptyFolder& folder, const std::string& capture,
                    const TextPairs& metadata, const std::vector<std::string>& without = {}) {
  const SafetensorsFile file = read_safetensors(source_file(capture));
  TextPairs kept;
  for (const auto& [key, value] : file.metadata) {
    const std::string* const other = find_text(metadata, key);
    if (other == nullptr) kept.emplace_back(key, value);
    if (other != nullptr && !other->empty()) kept.emplace_back(key, *other);
  }
  std::vector<SafetensorsEntry> entries;
  for (const SafetensorsTensor& tensor : file.tensors) {
    const bool is_left_out = std::ranges::find(without, tensor.name) != without.end();
    if (!is_left_out) entries.push_back({tensor.name, file.view(tensor)});
  }
  const std::filesystem::path path = folder.path() / "changed.safetensors";
  write_capture(path, kept, entries);
  return path.string();
}

TEST(VerifyGated, ARightPortIsAcceptedAtEveryLevel) {
  for (const Words& words : std::vector<Words>{
           {source_file(kAfter)},
           {source_file(kAfter), "--source", "hf.qwen3_next_gated"},
           {source_file(kAfter), "--source", "hf.qwen3_next_gated", "--require", "rounding"},
           {source_file(kAfter), "--source", "hf.qwen3_next_gated", "--require", "bits"},
           {source_file(kBefore)},
           {source_file(kBefore), "--source", "hf.mamba2_gated.sm_90", "--require", "bits"}}) {
    const VerifyReportResult run = report_of(words);
    EXPECT_EQ(run.status, 0) << words.back();
    const Json& power = run.json.at("power");
    EXPECT_EQ(power.at("caught"), power.at("of"));
    EXPECT_GE(power.at("of"), 11);
    expect_valid(run.json);
  }
}

TEST(VerifyGated, TheReportSaysWhereTheGateIs) {
  const Json report = report_of({source_file(kBefore)}).json;
  EXPECT_EQ(report.at("cases").at(0).at("gate"),
            (Json{{"mode", "before"}, {"activation", "silu"}}));
  EXPECT_EQ(function_of(report), "same");
  const Json& worst = report.at("results").at(0).at("max_ulp_error");
  EXPECT_TRUE(worst.at("gate").is_string());
  EXPECT_TRUE(worst.at("residual").is_null());
}

// An epsilon ten times smaller than the one that ran is told by the error of one element, a nearer
// one by conformity.
TEST(VerifyGated, AnotherEpsilon) {
  const VerifyReportResult far = report_of({source_file(kBefore), "--epsilon", "1e-6"});
  EXPECT_EQ(far.status, 1);
  EXPECT_EQ(function_of(far.json), "differs");
  EXPECT_EQ(reason_codes(far.json), (std::vector<std::string>{"function"}));
  const Words near = {source_file(kBefore), "--epsilon", "1.02e-5"};
  const VerifyReportResult undecided = report_of(near);
  EXPECT_EQ(undecided.status, 3);
  EXPECT_EQ(function_of(undecided.json), "undecided");
  Words held = near;
  held.insert(held.end(), {"--source", "hf.mamba2_gated", "--require", "rounding"});
  EXPECT_EQ(report_of(held).status, 1);
}

TEST(VerifyGated, AnotherPlaceOrActivation) {
  const EmptyFolder folder;
  for (const TextPairs& metadata :
       std::vector<TextPairs>{{{"gate", "before"}}, {{"gate_activation", "sigmoid"}}}) {
    const VerifyReportResult run = report_of({changed(folder, kAfter, metadata)});
    EXPECT_EQ(run.status, 1) << metadata.front().first;
    EXPECT_EQ(function_of(run.json), "differs");
  }
}

TEST(VerifyGated, PartsGiveTheReportOfTheWhole) {
  const EmptyFolder folder;
  const Words words = {source_file(kBefore),
                       "--source",
                       "hf.mamba2_gated",
                       "--require",
                       "rounding",
                       "--power",
                       "off",
                       "--reproducible"};
  const auto run = [&](const Words& more) {
    Words own = words;
    own.insert(own.end(), more.begin(), more.end());
    return run_verify(own, folder.path()).status;
  };
  const auto read = [&](const char* name) {
    std::ifstream file(folder.path() / name);
    Json report = Json::parse(file);
    report.erase("rerun");
    return report;
  };
  EXPECT_EQ(run({"--report", "whole.json"}), 0);
  (void)run({"--part", "1/2", "--report", "1.json"});
  (void)run({"--part", "2/2", "--report", "2.json"});
  const ProgramResult merged = run_program(
      {"report", "merge", "1.json", "2.json", "-o", "merged.json"}, {.folder = folder.path()});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(read("merged.json"), read("whole.json"));
}

TEST(VerifyGated, NothingIsAssumed) {
  const EmptyFolder folder;
  expect_verify_refused({changed(folder, kAfter, {{"gate", ""}})},
                        {"found a gate without metadata gate", "before or after"});
  expect_verify_refused({changed(folder, kAfter, {{"gate_activation", ""}})},
                        {"found a gate without metadata gate_activation", "silu or sigmoid"});
  expect_verify_refused(
      {changed(folder, kAfter, {{"gate", "afer"}})},
      {"__metadata__.gate", "\"afer\"", "before or after", "did you mean \"after\""});
  expect_verify_refused({changed(folder, kAfter, {{"gate_activation", "swish"}})},
                        {"__metadata__.gate_activation", "silu or sigmoid"});
  expect_verify_refused({changed(folder, kAfter, {}, {"gate"}), "--source", "hf.qwen3_next_gated"},
                        {"recipe hf.qwen3_next_gated", "after for inputs without a gate"});
  expect_verify_refused({source_file(kAfter), "--source", "hf.llama"},
                        {"recipe hf.llama", "none for inputs with a gate"});
}

// A file with a gated norm and one without: each is compared with the recipes that can compute it.
TEST(VerifyGated, BesideNormsWithoutAGate) {
  const EmptyFolder folder;
  std::vector<SafetensorsEntry> entries;
  TextPairs metadata = {{"epsilon", "1e-5"}, {"weight_offset", "0"}};
  const auto add = [&](const std::string& site, const std::string& capture) {
    const SafetensorsFile file = read_safetensors(source_file(kCaptures + capture));
    for (const SafetensorsTensor& tensor : file.tensors) {
      entries.push_back({site + "." + tensor.name, file.view(tensor)});
    }
    metadata.emplace_back(site + ".epsilon", *find_text(file.metadata, "epsilon"));
  };
  add("gated", "bf16-n64/hf.Qwen3NextRMSNormGated.cpu.safetensors");
  add("plain", "bf16-n64/hf.LlamaRMSNorm.cpu.safetensors");
  metadata.emplace_back("gated.gate", "after");
  metadata.emplace_back("gated.gate_activation", "silu");
  write_capture(folder.path() / "both.safetensors", metadata, entries);
  const Words words = {(folder.path() / "both.safetensors").string(),
                       "--candidate",
                       "hf.llama",
                       "--candidate",
                       "hf.qwen3_next_gated",
                       "--require",
                       "bits"};
  const VerifyReportResult run = report_of(words);
  EXPECT_EQ(run.status, 0);
  std::vector<std::string> sources;
  for (const Json& result : run.json.at("results")) {
    if (result.at("role") != "observed") continue;
    sources.push_back(result.at("equality").at("rounding").at("source"));
    EXPECT_EQ(result.at("bit_identical_to_recipe").size(), 1U);
  }
  EXPECT_EQ(sources, (std::vector<std::string>{"hf.qwen3_next_gated", "hf.llama"}));
  expect_verify_refused({(folder.path() / "both.safetensors").string(), "--source", "hf.llama"},
                        {"recipe hf.llama", "none for inputs with a gate"});
}

TEST(VerifyGated, PatternsOverNamesMeanWhatFits) {
  const VerifyReportResult run =
      report_of({source_file(kAfter), "--candidate", "hf.*", "--power", "off"});
  EXPECT_EQ(run.status, 0);
  for (const Json& result : run.json.at("results")) {
    if (result.at("role") == "observed") continue;
    EXPECT_NE(result.at("candidate").get<std::string>().find("gated"), std::string::npos);
  }
  EXPECT_NE(run.json.at("not_tested").dump().find("they are of norms without a gate"),
            std::string::npos);
}

TEST(VerifyGated, DiagnoseSaysThatItCannot) {
  const ProgramResult run = run_program({"diagnose", source_file(kAfter)});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("elimination has no gates"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace normcert
