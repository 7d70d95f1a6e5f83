// Every example of the README is run, and must print what the README says.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "problem/recipe.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

struct Example {
  std::vector<std::string> words;
  std::string line;
  std::string output;
};

constexpr std::string_view kIndent = "    ";
constexpr std::string_view kPrompt = "    $ normcert ";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A prompt and the indented lines (or blank lines between such) that follow it.
std::vector<Example> examples_of(const std::string& readme) {
  std::vector<Example> examples;
  std::istringstream stream(readme);
  bool inside = false;
  std::string blank;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(kPrompt)) {
      examples.push_back({words_of(line.substr(kPrompt.size())), line, ""});
      inside = true;
      blank.clear();
    } else if (inside && line.empty()) {
      blank += "\n";
    } else if (inside && line.starts_with(kIndent)) {
      examples.back().output += blank + line.substr(kIndent.size()) + "\n";
      blank.clear();
    } else {
      inside = false;
    }
  }
  return examples;
}

TEST(Readme, ItsExamplesPrintWhatItSays) {
  const std::string source = NORMCERT_SOURCE_DIR;
  const std::vector<Example> examples = examples_of(read_whole_file(source + "/README.md"));
  ASSERT_GE(examples.size(), 4U);
  for (const Example& example : examples) {
    const ProgramResult result = run_program(example.words, {.folder = source});
    EXPECT_EQ(result.out, example.output) << example.line;
    EXPECT_EQ(result.err, "") << example.line;
  }
}

// Each key of a recipe stands in the README's tables, with all of its values.
TEST(Readme, ExplainsEveryKeyOfARecipe) {
  const std::string readme = read_whole_file(std::string(NORMCERT_SOURCE_DIR) + "/README.md");
  const std::string section = readme.substr(readme.find("\n## Recipes\n"));
  const auto explains = [&section](std::string_view word) {
    return section.find('`' + std::string(word) + '`') != std::string::npos;
  };
  std::size_t keys = 0;
  for (const RecipeMember& member : parameters_of(Recipe{})) {
    EXPECT_TRUE(explains(member.key.substr(member.key.find('.') + 1))) << member.key;
    ++keys;
  }
  EXPECT_EQ(keys, 35U);
  std::size_t values = 0;
  const auto explains_all = [&](const auto& names) {
    for (const std::string_view name : names) {
      EXPECT_TRUE(explains(name)) << name;
      ++values;
    }
  };
  explains_all(EnumNames<StatisticKind>::kNames);
  explains_all(EnumNames<Accumulation>::kNames);
  explains_all(EnumNames<OrderKind>::kNames);
  explains_all(EnumNames<MeanStep>::kNames);
  explains_all(EnumNames<EpsilonPosition>::kNames);
  explains_all(EnumNames<RootKind>::kNames);
  explains_all(EnumNames<StatisticRounding>::kNames);
  explains_all(EnumNames<Association>::kNames);
  explains_all(EnumNames<CastPoint>::kNames);
  explains_all(EnumNames<WeightForm>::kNames);
  explains_all(EnumNames<ResidualMode>::kNames);
  explains_all(EnumNames<RsqrtTable>::kNames);
  EXPECT_EQ(values, 61U);
}

// The reports that scripts/quickstart writes are kept in the tree; they must be today's.
TEST(Quickstart, ItsReportsAreThoseOfTheTree) {
  const std::string source = NORMCERT_SOURCE_DIR;
  std::istringstream script(read_whole_file(source + "/scripts/quickstart"));
  const EmptyFolder folder;
  std::string command;
  int compared = 0;
  for (std::string line; std::getline(script, line);) {
    const bool begins = line.find("\"$normcert\" verify") != std::string::npos ||
                        line.find("\"$normcert\" diagnose") != std::string::npos;
    if (!begins && command.empty()) continue;
    const bool continues = line.ends_with("\\");
    command += line.substr(0, line.size() - (continues ? 1 : 0)) + " ";
    if (continues) continue;
    std::vector<std::string> words = words_of(command);
    const int expected_status = std::stoi(words.at(1));
    words.erase(words.begin(), words.begin() + 3);  // expect <status> "$normcert"
    std::vector<std::string> reports;
    for (std::string& word : words) {
      if (word.starts_with("$captures/")) {
        word = "cases/captures/stories260K" + word.substr(std::string("$captures").size());
      }
      if (word == "$model") word = "cases/models/stories260K";
      if (!word.starts_with("reports/")) continue;
      reports.push_back(word);
      word = (folder.path() / word.substr(std::string("reports/").size())).string();
    }
    const ProgramResult result = run_program(words, {.folder = source});
    EXPECT_EQ(result.status, expected_status) << result.err;
    for (const std::string& report : reports) {
      const std::string name = report.substr(std::string("reports/").size());
      const bool same =
          read_whole_file(folder.path() / name) == read_whole_file(source + "/" + report);
      EXPECT_TRUE(same) << report << " is not what scripts/quickstart writes today";
      ++compared;
    }
    command.clear();
  }
  EXPECT_EQ(compared, 5);
}

}  // namespace
}  // namespace normcert
