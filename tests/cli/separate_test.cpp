// normcert cases --separate through the real program: verify confirms what it found.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "formats/atomic_file.hpp"

namespace normcert {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class Separate : public testing::Test {
 protected:
  ProgramResult run(const Words& words) { return run_program(words, {.folder = folder_.path()}); }

  ProgramResult separate(const std::string& a, const std::string& b, const std::string& dtype,
                         const Words& more = {}) {
    Words words = {"cases",   "--separate", a,           b,      "--dim", "32",
                   "--dtype", dtype,        "--epsilon", "1e-6", "-o",    "s.st"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  json report(const std::string& a, const std::string& b, const std::string& dtype, int status) {
    const ProgramResult result = separate(a, b, dtype, {"--format", "json", "--reproducible"});
    EXPECT_EQ(result.status, status) << result.out << result.err;
    return result.out.empty() ? json() : json::parse(result.out);
  }

  int bits(const std::string& candidate, const std::string& source) {
    return run({"verify", "--cases", "s.st", "--candidate", candidate, "--source", source,
                "--require", "bits"})
        .status;
  }

  void expect_refused(const Words& words, const Words& said) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : said) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in " << result.err;
    }
  }

  const EmptyFolder folder_;
};

TEST_F(Separate, VerifyRejectsTheOtherRecipe) {
  const std::vector<Words> pairs = {{"hf.llama", "hf.olmo2", "bf16"},
                                    {"hf.llama", "hf.gemma", "bf16"},
                                    {"hf.llama", "wrong.epsilon_outside", "fp16"},
                                    {"hf.llama", "hf.llama.sm_90", "fp32"}};
  for (const Words& pair : pairs) {
    const json found = report(pair[0], pair[1], pair[2], 0);
    const json& norm = found["separation"]["norms"][0];
    EXPECT_EQ(norm["result"], "separated") << pair[1];
    EXPECT_EQ(norm["most"]["case"], "most");
    EXPECT_EQ(norm["most"]["width"], 32);
    EXPECT_GE(norm["most"]["differing"], 16) << pair[1];
    EXPECT_EQ(bits(pair[0], pair[1]), 1) << pair[1];
    EXPECT_EQ(bits(pair[1], pair[0]), 1) << pair[1];
    EXPECT_EQ(bits(pair[0], pair[0]), 0) << pair[1];
  }
}

TEST_F(Separate, EqualRecipesWriteNoFile) {
  const json found = report("hf.llama", "hf.llama", "bf16", 0);
  EXPECT_EQ(found["separation"]["norms"][0]["result"], "equal");
  EXPECT_EQ(found["separation"]["norms"][0]["equal_because"], json::array());
  EXPECT_TRUE(found["output"].is_null());
  EXPECT_EQ(folder_.names(), Words{});
  const std::string text = separate("hf.llama", "hf.llama", "bf16").out;
  EXPECT_NE(text.find("are equal on all bf16 rows of width 32"), std::string::npos) << text;
  EXPECT_NE(text.find("no file was written"), std::string::npos) << text;
}

TEST_F(Separate, WhatTheDtypeCannotShowIsNamed) {
  write_file_atomically(
      folder_.path() / "mine.json",
      R"({"schema": "normcert/recipe/1", "name": "mine", "cast": "before_weight"})");
  write_file_atomically(
      folder_.path() / "other.json",
      R"({"schema": "normcert/recipe/1", "name": "other", "cast": "after_weight"})");
  const json equal = report("mine.json", "other.json", "fp32", 0);
  const json& norm = equal["separation"]["norms"][0];
  EXPECT_EQ(norm["result"], "equal");
  ASSERT_EQ(norm["equal_because"].size(), 1U);
  EXPECT_EQ(norm["equal_because"][0]["parameter"], "cast");
  EXPECT_EQ(equal["inputs"].size(), 2U);
  EXPECT_EQ(report("mine.json", "other.json", "bf16", 0)["separation"]["norms"][0]["result"],
            "separated");
}

// A step of 2 ulp at most that nobody has measured is emulated as the correctly rounded root: no
// input tells them apart, and that proves nothing.
TEST_F(Separate, NothingFoundIsNotEqual) {
  const std::string head = R"({"schema": "normcert/recipe/1", "name": "mine", "root": {"kind": ")";
  write_file_atomically(folder_.path() / "exact.json", head + R"(rsqrt_correct"}})");
  write_file_atomically(folder_.path() / "approx.json", head + R"(rsqrt_approx"}})");
  const json found = report("exact.json", "approx.json", "fp32", 3);
  EXPECT_EQ(found["exit_status"], 3);
  const json& norm = found["separation"]["norms"][0];
  EXPECT_EQ(norm["result"], "not-found");
  EXPECT_GT(norm["rows_tried"], 1000);
  EXPECT_EQ(folder_.names(), (Words{"approx.json", "exact.json"}));
  const ProgramResult text = separate("exact.json", "approx.json", "fp32");
  EXPECT_NE(text.out.find("no difference found in "), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("are equal"), std::string::npos) << text.out;
}

TEST_F(Separate, SameOptionsSameBytes) {
  EXPECT_EQ(separate("hf.llama", "hf.olmo2", "fp16").status, 0);
  const std::string first = read_whole_file(folder_.path() / "s.st");
  EXPECT_EQ(separate("hf.llama", "hf.olmo2", "fp16", {"--threads", "1"}).status, 0);
  EXPECT_EQ(read_whole_file(folder_.path() / "s.st"), first);
  EXPECT_EQ(separate("hf.llama", "hf.olmo2", "fp16", {"--seed", "1"}).status, 0);
  EXPECT_NE(read_whole_file(folder_.path() / "s.st"), first);
}

TEST_F(Separate, RerunAndMarkdownNameBothRecipes) {
  const json found = report("hf.llama", "hf.olmo2", "bf16", 0);
  EXPECT_NE(found["rerun"].get<std::string>().find("--separate hf.llama hf.olmo2"),
            std::string::npos);
  const std::string text = separate("hf.llama", "hf.olmo2", "bf16", {"--format", "markdown"}).out;
  EXPECT_TRUE(text.starts_with("# Inputs that separate two recipes\n")) << text;
}

TEST_F(Separate, BadValuesAreNamed) {
  const Words norm = {"--dim", "8", "--dtype", "fp16", "--epsilon", "1e-6", "-o", "s.st"};
  const auto with = [&](Words words) {
    words.insert(words.begin(), "cases");
    words.insert(words.end(), norm.begin(), norm.end());
    return words;
  };
  expect_refused(with({"--separate", "hf.lama", "hf.olmo2"}),
                 {"--separate", "hf.lama", "hf.llama"});
  expect_refused(with({"--separate", "hf.llama", "reference.rounded"}),
                 {"--separate: found reference.rounded", "a recipe"});
  expect_refused(with({"--separate", "hf.llama"}), {"--separate", "two values"});
  expect_refused({"cases", "--separate", "hf.llama"}, {"--separate", "two values"});
  expect_refused(with({"--separate", "hf.llama", "hf.olmo2", "--class", "zero"}),
                 {"--class: found zero", "--separate"});
  expect_refused(with({"--separate", "a", "b", "--separate", "c", "d"}), {"2 times", "once"});
  expect_refused(with({"--separate", "hf.llama", "missing.json"}), {"missing.json"});
  EXPECT_EQ(folder_.names(), Words{});
}

}  // namespace
}  // namespace normcert
