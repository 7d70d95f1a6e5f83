// normcert recipes through the real program: what it prints is what --candidate takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catalogue/recipes.hpp"
#include "cli/run_program.hpp"
#include "formats/atomic_file.hpp"

namespace normcert {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class Recipes : public testing::Test {
 protected:
  ProgramResult run(const Words& words) { return run_program(words, {.folder = folder_.path()}); }

  std::string output_of(const Words& words) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(is_utf8(result.out));
    return result.out;
  }

  void expect_refused(const Words& words, const std::vector<std::string>& said) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : said) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in " << result.err;
    }
  }

  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_.path() / name, text);
  }

  // A recipe file with these members beside the two that each must have.
  void write_recipe(const std::string& name, const std::string& members) {
    write(name, R"({"schema": "normcert/recipe/1", "name": "mine")" + members + "}");
  }

  json verified(const std::string& candidate, int status) {
    const ProgramResult result =
        run({"verify", "--dim", "16", "--dtype", "bf16", "--epsilon", "1e-6", "--candidate",
             candidate, "--max-ulp", "2", "--format", "json", "--reproducible"});
    EXPECT_EQ(result.status, status) << result.out << result.err;
    return json::parse(result.out);
  }

  const EmptyFolder folder_;
};

TEST_F(Recipes, TheListNamesEveryRecipe) {
  const std::string text = output_of({"recipes"});
  const std::string markdown = output_of({"recipes", "--format", "markdown"});
  const json report = json::parse(output_of({"recipes", "--format", "json"}));
  ASSERT_EQ(report["recipes"].size(), catalogue_recipes().size());
  EXPECT_TRUE(report["shows_all"].get<bool>());
  for (const json& item : report["recipes"]) {
    const std::string name = item["name"];
    EXPECT_NE(text.find("\n" + name + "  "), std::string::npos) << name;
    EXPECT_NE(markdown.find("\n| `" + name + "` |"), std::string::npos) << name;
  }
}

TEST_F(Recipes, TheListFitsIntoAHundredColumns) {
  const std::string text = output_of({"recipes"});
  EXPECT_EQ(text.find("..."), std::string::npos);  // nothing is cut
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  EXPECT_LE(longest, 100U);
  EXPECT_GT(longest, 80U);
  EXPECT_NE(text.find("rsqrt(mean(x^2) + e)), no weight.\n"), std::string::npos);  // hf.weightless
  EXPECT_EQ(text.find("As the CPU computes it"), std::string::npos);  // hf.llama's next sentence
}

TEST_F(Recipes, WhatIsPrintedIsAFileThatIsTheSame) {
  for (const Recipe& recipe : catalogue_recipes()) {
    SCOPED_TRACE(recipe.name);
    write("printed.json", output_of({"recipes", recipe.name}));
    const json report =
        json::parse(output_of({"recipes", "--check", "printed.json", "--format", "json"}));
    EXPECT_EQ(report["checked"]["nearest"], recipe.name);
    EXPECT_EQ(report["checked"]["differences"], json::array());
    EXPECT_EQ(report["recipes"][0]["json"], read_whole_file(folder_.path() / "printed.json"));
    EXPECT_EQ(report["inputs"][0]["path"], "printed.json");
  }
}

TEST_F(Recipes, CandidateTakesWhatIsPrinted) {
  write("printed.json", output_of({"recipes", "hf.llama"}));
  const json file = verified("printed.json", 0);
  const json name = verified("hf.llama", 0);
  EXPECT_EQ(file["verdict"], name["verdict"]);
  EXPECT_EQ(file["results"], name["results"]);
  EXPECT_EQ(output_of({"recipes", "--check", "printed.json"}),
            "printed.json is in order: recipe hf.llama\n  computes what hf.llama does\n");
}

TEST_F(Recipes, ANormClassStandsForItsRecipe) {
  EXPECT_EQ(output_of({"recipes", "Qwen3NextRMSNormGated"}),
            output_of({"recipes", "hf.qwen3_next_gated"}));
  EXPECT_EQ(verified("LlamaRMSNorm", 0)["results"], verified("hf.llama", 0)["results"]);
}

TEST_F(Recipes, PatternsAndNames) {
  const json some = json::parse(output_of({"recipes", "hf.*", "hf.llama", "--format", "json"}));
  Words names;
  for (const json& item : some["recipes"]) names.push_back(item["name"]);
  EXPECT_EQ(std::ranges::count(names, "hf.llama"), 1);
  EXPECT_TRUE(std::ranges::all_of(names, [](const auto& name) { return name.starts_with("hf."); }));
  EXPECT_FALSE(some["shows_all"].get<bool>());
  expect_refused({"recipes", "hf.lama"}, {"hf.lama", "did you mean \"hf.llama\""});
  expect_refused({"recipes", "nobody.*"}, {"nobody.*"});
  expect_refused({"recipes", "hf.llama", "--check", "a.json"}, {"--check: found a.json"});
}

TEST_F(Recipes, BrokenFilesAreLocated) {
  const auto expect_broken = [&](const std::string& members, const std::vector<std::string>& said) {
    SCOPED_TRACE(members);
    write_recipe("mine.json", members);
    expect_refused({"recipes", "--check", "mine.json"}, said);
    expect_refused({"verify", "--dim", "16", "--dtype", "bf16", "--epsilon", "1e-6", "--candidate",
                    "mine.json"},
                   said);
  };
  expect_broken(R"(, "asociation": "(x*r)*w")", {"mine.json", "asociation", "\"association\""});
  expect_broken(R"(, "cast": "after_wait")",
                {"mine.json: cast", "line 1", "after_wait", "\"after_weight\""});
  expect_broken(R"(, "statistic": {"order": {"kind": "lanes", "lane": 8}})",
                {"mine.json: statistic.order", "\"lanes\""});
  expect_broken(R"(, "association": "(w/rms)*x", "root": {"kind": "rsqrt_correct"})",
                {"mine.json: association, line 1", "not supported together with root.kind"});
  expect_broken(R"(, "epsilon": {"preset": "small"})", {"mine.json: epsilon.preset", "small"});
  expect_broken(R"(, "version": 0)", {"mine.json: version", "found 0"});
  write("mine.json", R"({"schema": "normcert/recipe/1"})");
  expect_refused({"recipes", "--check", "mine.json"}, {"mine.json", "name"});
  write("mine.json", R"({"schema": "normcert/recipe/1", "name": "mine", )");
  expect_refused({"recipes", "--check", "mine.json"}, {"mine.json", "line 1"});
  expect_refused({"recipes", "--check", "missing.json"}, {"missing.json"});
  expect_refused({"recipes", "--check", "."}, {"."});
}

TEST_F(Recipes, ARecipeOfOnesOwn) {
  // rstd rounded to the input's dtype, w multiplied with it first: a kernel that no framework has.
  write_recipe("mine.json", R"json(, "statistic_rounding": "rstd", "association": "x*(r*w)",
                                   "cast": "after_weight")json");
  const std::string checked = output_of({"recipes", "--check", "mine.json"});
  EXPECT_TRUE(checked.starts_with("mine.json is in order: recipe mine\n")) << checked;
  EXPECT_NE(checked.find("nearest recipe of the catalogue: flax.rmsnorm"), std::string::npos);
  EXPECT_NE(checked.find("statistic_rounding"), std::string::npos) << checked;

  const json report = verified("mine.json", 0);
  ASSERT_GT(report["results"].size(), 10U);
  EXPECT_EQ(report["results"][0]["candidate"], "mine");
  // Its bits are its own.
  const ProgramResult as_llama =
      run({"verify", "--dim", "16", "--dtype", "bf16", "--epsilon", "1e-6", "--candidate",
           "mine.json", "--source", "hf.llama", "--require", "bits"});
  EXPECT_EQ(as_llama.status, 1) << as_llama.out << as_llama.err;
}

TEST_F(Recipes, FileNamesAreShownEscaped) {
  write_recipe("a\x1b[31m.json", "");
  const std::string text = output_of({"recipes", "--check", "a\x1b[31m.json"});
  EXPECT_TRUE(text.starts_with("a\\x1B[31m.json is in order")) << text;
}

}  // namespace
}  // namespace normcert
