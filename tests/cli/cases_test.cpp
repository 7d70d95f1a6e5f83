// normcert cases through the real program, up to the verdict on what a port makes of its file.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catalogue/recipes.hpp"
#include "cli/run_program.hpp"
#include "emulation/emulate.hpp"
#include "formats/atomic_file.hpp"
#include "formats/capture.hpp"
#include "formats/safetensors_writer.hpp"

namespace normcert {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kQwen3 = std::string(NORMCERT_SOURCE_DIR) + "/tests/data/models/qwen3-8b.json";

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// "cases" for a small norm, written to cases.st.
Words small_norm(const Words& more = {}) {
  return joined({"cases", "--dim", "24", "--dtype", "bf16", "--epsilon", "1e-6", "-o", "cases.st"},
                more);
}

class Cases : public testing::Test {
 protected:
  ProgramResult run(const Words& words) { return run_program(words, {.folder = folder_.path()}); }

  std::string accepted(const Words& words) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(is_utf8(result.out));
    return result.out;
  }

  json report_of(const Words& words) {
    return json::parse(accepted(joined(words, {"--format", "json", "--reproducible"})));
  }

  void expect_refused(const Words& words, const std::vector<std::string>& said) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : said) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in " << result.err;
    }
  }

  // What a port of `recipe` makes of cases.st, as out.st.
  void port(const std::string& recipe, const TextPairs& metadata = {}) {
    const Capture capture = read_capture(folder_.path() / "cases.st", CaptureKind::kCases);
    std::vector<EmulatedBlock> blocks;
    blocks.reserve(capture.sites.size());
    std::vector<SafetensorsEntry> entries;
    for (const CaptureSite& site : capture.sites) {
      blocks.push_back(
          emulate_block(*find_recipe(recipe), {.x = *site.x,
                                               .gate = site.gate,
                                               .weight = site.weight,
                                               .weight_offset = site.weight_offset->binary64,
                                               .epsilon = site.epsilon->binary64}));
      TensorView y = blocks.back().y.view();
      y.shape = site.x->shape;
      entries.push_back({site.site + ".y", y});
    }
    write_safetensors(folder_.path() / "out.st", metadata, entries);
  }

  std::string digest_in_file() {
    const SafetensorsFile file = read_safetensors(folder_.path() / "cases.st");
    const std::string* digest = find_text(file.metadata, "normcert_cases");
    return digest != nullptr ? *digest : "";
  }

  const EmptyFolder folder_;
  const Words verify_ = {"verify", "--cases", "cases.st", "--observed", "out.st"};
  const Words bits_ = joined(verify_, {"--source", "hf.llama", "--require", "bits"});
};

TEST_F(Cases, APortWithTheSameBitsIsAccepted) {
  for (const Words& more : {Words{}, Words{"--layout", "3d"}, Words{"--layout", "2d"}}) {
    const json written = report_of(small_norm(more));
    EXPECT_EQ(written["kind"], "cases");
    EXPECT_EQ(written["cases"].size(), 17U);
    EXPECT_EQ(written["normcert_cases"], digest_in_file());
    port("hf.llama");
    const json report = report_of(bits_);
    EXPECT_EQ(report["verdict"]["value"], "accepted");
    EXPECT_EQ(report["results"].size(), 17U);
    port("naive.bf16");
    const ProgramResult other = run(bits_);
    EXPECT_EQ(other.status, 1) << other.out << other.err;
  }
}

// What is made for norms without a gate, rows next to midpoints and to overflow, is left out.
TEST_F(Cases, OfAGatedNormTheyHaveAGate) {
  for (const std::string recipe : {"hf.qwen3_next_gated", "hf.mamba2_gated"}) {
    const json written = report_of(small_norm({"--source", recipe}));
    EXPECT_EQ(written["cases"].size(), 15U);
    EXPECT_EQ(written["omitted"].size(), 2U) << written["omitted"];
    port(recipe);
    const Words held = joined(verify_, {"--source", recipe});
    const json report = report_of(joined(held, {"--require", "bits"}));
    EXPECT_EQ(report["verdict"]["value"], "accepted");
    EXPECT_EQ(report["power"]["caught"], report["power"]["of"]);
    EXPECT_EQ(report_of(held)["verdict"]["value"], "accepted");
    port(recipe == "hf.mamba2_gated" ? "hf.falcon_h1_gated.before" : "hf.falcon_h1_gated");
    EXPECT_EQ(run(joined(held, {"--require", "rounding"})).status, 1);
  }
}

TEST_F(Cases, LayoutIsTheShapeInTheFile) {
  accepted(small_norm({"--layout", "3d", "--class", "constant"}));
  SafetensorsFile file = read_safetensors(folder_.path() / "cases.st");
  EXPECT_EQ(file.find("constant.x")->shape, (std::vector<std::size_t>{1, 3, 24}));
  EXPECT_EQ(file.find("constant.weight")->shape, (std::vector<std::size_t>{24}));
  accepted(small_norm({"--class", "constant"}));
  file = read_safetensors(folder_.path() / "cases.st");
  EXPECT_EQ(file.find("constant.x")->shape, (std::vector<std::size_t>{3, 24}));
  expect_refused(small_norm({"--layout", "4d"}), {"--layout: found 4d", "2d, 3d"});
}

TEST_F(Cases, ClassesSelect) {
  const json report = report_of(small_norm({"--class", "zero", "--class", "small"}));
  ASSERT_EQ(report["cases"].size(), 2U);
  EXPECT_EQ(report["cases"][0]["id"], "zero");
  EXPECT_EQ(report["cases"][1]["class"], "small");
  EXPECT_EQ(report["omitted"], json::array());
  expect_refused(small_norm({"--class", "midpont"}),
                 {"--class: found midpont", "did you mean \"midpoint\""});
  expect_refused(small_norm({"--class", "captured"}), {"--class: found captured"});
}

TEST_F(Cases, AFileWithoutCasesIsNotWritten) {
  expect_refused({"cases", "--dim", "1", "--dtype", "fp16", "--epsilon", "1e-6", "--class",
                  "midpoint", "-o", "cases.st"},
                 {"--class: found classes without rows", "a row of one element"});
  EXPECT_EQ(folder_.names(), Words{});
}

TEST_F(Cases, AModelWithTwoKindsOfNorms) {
  const Words cases = {"cases",   "--config", kQwen3,     "--class", "small",
                       "--class", "zero",     "--output", "cases.st"};
  const json written = report_of(cases);
  Words ids;
  for (const json& c : written["cases"]) ids.push_back(c["id"]);
  EXPECT_EQ(
      ids,
      (Words{"model.layers.0.input_layernorm/zero", "model.layers.0.input_layernorm/small",
             "model.layers.0.self_attn.q_norm/zero", "model.layers.0.self_attn.q_norm/small"}));
  EXPECT_EQ(written["cases"][0]["dim"], 4096);
  EXPECT_EQ(written["cases"][3]["dim"], 128);
  EXPECT_EQ(written["cases"][3]["site"], "model.layers.0.self_attn.q_norm");
  ASSERT_EQ(written["inputs"].size(), 1U);

  port("hf.llama");
  EXPECT_EQ(report_of(bits_)["verdict"]["value"], "accepted");
  // With the model at hand each case stands for the norms that are like its own.
  const json report = report_of(joined(bits_, {"--config", kQwen3}));
  EXPECT_EQ(report["coverage"]["judged"], report["coverage"]["sites_in_model"]);
  EXPECT_EQ(report["coverage"]["sites_in_model"], 36 * 4 + 1);
  EXPECT_EQ(report["cases"][2]["site"], "model.layers.0.self_attn.q_norm");
}

TEST_F(Cases, OneKindOfNormsAloneDoesNotCoverTheOther) {
  accepted({"cases", "--config", kQwen3, "--class", "small", "-o", "cases.st"});
  const Capture capture = read_capture(folder_.path() / "cases.st", CaptureKind::kCases);
  ASSERT_EQ(capture.sites.size(), 2U);
  std::vector<SafetensorsEntry> entries = {{"small.x", *capture.sites[1].x},
                                           {"small.weight", *capture.sites[1].weight}};
  write_safetensors(folder_.path() / "one.st",
                    {{"normcert_cases", "of one kind"},
                     {"small.site", "model.layers.0.self_attn.q_norm"},
                     {"weight_offset", "0"}},
                    entries);
  const json report = report_of({"verify", "--cases", "one.st", "--config", kQwen3, "--candidate",
                                 "hf.llama", "--max-ulp", "3"});
  EXPECT_EQ(report["coverage"]["judged"], 36 * 2);
}

TEST_F(Cases, NormsWithoutWeight) {
  const std::string config = (folder_.path() / "config.json").string();
  write_file_atomically(config, R"({"model_type": "nanochat", "rms_norm_eps": 1e-6,
    "hidden_size": 64, "num_hidden_layers": 2, "torch_dtype": "bfloat16",
    "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16})");
  const json written = report_of({"cases", "--config", config, "-o", "cases.st"});
  EXPECT_TRUE(written["cases"][0]["weight_dtype"].is_null());
  EXPECT_EQ(read_safetensors(folder_.path() / "cases.st").tensors.size(), written["cases"].size());
  port("hf.weightless");
  const json report = report_of(
      joined(verify_, {"--config", config, "--require", "bits", "--source", "hf.weightless"}));
  EXPECT_EQ(report["coverage"]["judged"], report["coverage"]["sites_in_model"]);
}

TEST_F(Cases, SameOptionsSameBytes) {
  accepted(small_norm());
  const std::string first = read_whole_file(folder_.path() / "cases.st");
  accepted(small_norm({"--threads", "1"}));
  EXPECT_EQ(read_whole_file(folder_.path() / "cases.st"), first);
  const std::string digest = digest_in_file();
  for (const Words& more : {Words{"--seed", "1"}, Words{"--weight-dtype", "fp32"},
                            Words{"--weight-offset", "1"}, Words{"--class", "small"}}) {
    accepted(small_norm(more));
    EXPECT_NE(read_whole_file(folder_.path() / "cases.st"), first) << more.front();
    EXPECT_NE(digest_in_file(), digest) << more.front();
  }
}

TEST_F(Cases, TheDigestKnowsEpsilon) {
  const auto zeros = [&](const char* epsilon) {
    accepted({"cases", "--dim", "8", "--dtype", "fp32", "--epsilon", epsilon, "--class", "zero",
              "-o", "cases.st"});
    return digest_in_file();
  };
  EXPECT_NE(zeros("1e-6"), zeros("1e-5"));  // the same rows
}

TEST_F(Cases, OutputsOfOtherCasesAreRefused) {
  accepted(small_norm({"--seed", "1"}));
  const std::string made_for = digest_in_file();
  port("hf.llama", {{"normcert_cases", made_for}});
  accepted(bits_);
  accepted(small_norm({"--seed", "2"}));
  const std::string given = digest_in_file();
  for (const Words& more : {Words{}, Words{"--partial"}}) {
    expect_refused(joined(bits_, more),
                   {"out.st: __metadata__.normcert_cases", made_for, given, "cases.st"});
  }
  port("hf.llama", {{"normcert_cases", given}});
  accepted(bits_);
}

TEST_F(Cases, OutputsMayRepeatAllMetadata) {
  accepted(small_norm());
  const TextPairs metadata = read_safetensors(folder_.path() / "cases.st").metadata;
  EXPECT_GT(metadata.size(), 17U * 3);
  port("hf.llama", metadata);
  accepted(bits_);
}

TEST_F(Cases, MissingOutputsAreNamed) {
  accepted(small_norm({"--class", "zero"}));
  port("hf.llama");
  accepted(small_norm({"--class", "zero", "--class", "small"}));
  expect_refused(bits_, {"no output for small"});
  accepted(joined(bits_, {"--partial", "--power", "off"}));  // zero rows alone show little
}

TEST_F(Cases, PathsThatCannotBeWritten) {
  std::filesystem::create_directory(folder_.path() / "folder");
  const Words norm = {"cases", "--dim", "8", "--dtype", "fp16", "--epsilon", "1e-6"};
  expect_refused(joined(norm, {"-o", "no/such/cases.st"}), {"no/such/cases.st"});
  expect_refused(joined(norm, {"-o", "folder"}), {"folder: --output"});
  expect_refused(joined(norm, {"-o", ""}), {"--output: found an empty file name"});
  expect_refused(norm, {"no --output", "--output FILE"});
  for (const char* name : {"a.json", "a.md", "a.npz"}) {
    expect_refused(joined(norm, {"-o", name}), {"--output: found " + std::string(name),
                                                "a file name that ends in .safetensors"});
  }
  std::filesystem::create_symlink("a.json", folder_.path() / "link.st");
  expect_refused(joined(norm, {"-o", "link.st", "--report", "./a.json"}),
                 {"--report: found ./a.json", "--output"});
  std::filesystem::remove(folder_.path() / "link.st");
  // Where the report cannot be written there are no cases either.
  std::filesystem::create_symlink("/dev/full", folder_.path() / "full.json");
  expect_refused(joined(norm, {"-o", "cases.st", "--report", "full.json"}), {"full.json: found"});
  std::filesystem::remove(folder_.path() / "full.json");
  expect_refused(joined(norm, {"-o", "cases.st", "--report", "no/such.json"}), {"no/such.json"});
  EXPECT_EQ(folder_.names(), Words{"folder"});
}

TEST_F(Cases, WhatIsMissingIsNamed) {
  expect_refused({"cases", "-o", "a.st"}, {"no model", "--config"});
  expect_refused({"cases", "--dim", "8", "--dtype", "fp16", "-o", "a.st"}, {"--epsilon"});
  expect_refused({"cases", "--config", "missing.json", "-o", "a.st"}, {"missing.json"});
  EXPECT_EQ(folder_.names(), Words{});
}

TEST_F(Cases, TextNamesTheFileAndTheNextCommand) {
  const std::string text = accepted(
      {"cases", "--dim", "8", "--dtype", "fp16", "--epsilon", "1e-6", "-o", "a\x1b[31m b.st"});
  EXPECT_TRUE(text.starts_with("16 cases in a\\x1B[31m b.st\n")) << text;
  EXPECT_NE(text.find("normcert verify --cases $'a\\033[31m b.st' --observed"), std::string::npos)
      << text;
  EXPECT_NE(text.find("more left out; --all shows them"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const std::string markdown = accepted(small_norm({"--format", "markdown", "--class", "zero"}));
  EXPECT_TRUE(markdown.starts_with("# 1 case in `cases.st`\n")) << markdown;
}

}  // namespace
}  // namespace normcert
