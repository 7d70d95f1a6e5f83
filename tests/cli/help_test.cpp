// --help and --version: status 0, on stdout, and true.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/run_program.hpp"
#include "report/build_info.hpp"

namespace normcert {
namespace {

std::string shown_by(const std::vector<std::string>& words) {
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(is_utf8(result.out));
  return result.out;
}

TEST(Help, Version) {
  const std::string expected = "normcert " + std::string(build_info().version) + "\n";
  EXPECT_TRUE(std::regex_match(expected, std::regex("normcert [0-9]+\\.[0-9]+\\.[0-9]+\n")));
  EXPECT_EQ(shown_by({"--version"}), expected);
  EXPECT_EQ(shown_by({"attenuation", "--version"}), expected);
  EXPECT_EQ(shown_by({"--quiet", "--version", "schema"}), expected);
}

TEST(Help, FirstScreenNamesEveryCommand) {
  const std::string screen = shown_by({"--help"});
  EXPECT_EQ(screen, shown_by({"-h"}));
  for (const CommandDescription* command : all_commands()) {
    EXPECT_NE(screen.find("normcert " + std::string(command->name)), std::string::npos);
    EXPECT_NE(screen.find(command->what_for), std::string::npos);
  }
  EXPECT_NE(screen.find("--report FILE"), std::string::npos);
}

TEST(Help, EveryCommandEndsWithExamplesAndStatuses) {
  for (const CommandDescription* command : all_commands()) {
    SCOPED_TRACE(command->name);
    const std::string text = shown_by({std::string(command->name), "--help"});
    EXPECT_EQ(text, shown_by({"--help", std::string(command->name)}));
    const std::size_t examples = text.find("\nExamples:\n  normcert ");
    const std::size_t statuses = text.find("\nExit status:\n  0  ");
    ASSERT_NE(examples, std::string::npos);
    ASSERT_NE(statuses, std::string::npos);
    EXPECT_LT(examples, statuses);
    EXPECT_NE(text.find("\n  2  ", statuses), std::string::npos);
    EXPECT_NE(text.find("\n  4  ", statuses), std::string::npos);
  }
}

TEST(Help, NeedsNothingElseOnTheLine) {
  EXPECT_EQ(shown_by({"attenuation", "--help", "--epsilon", "abc"}),
            shown_by({"attenuation", "--help"}));
}

// Every example of a help text works, as far as a shell is not needed for it.
TEST(Help, ExamplesRun) {
  int examples = 0;
  for (const char* name : {"attenuation", "schema"}) {
    std::string text = shown_by({name, "--help"});
    text = text.substr(text.find("\nExamples:\n"));
    const EmptyFolder folder;
    const std::regex example("\n  normcert ([^\n>]*[^\n> ])");
    for (std::sregex_iterator match(text.begin(), text.end(), example), end; match != end;
         ++match) {
      std::vector<std::string> words;
      const std::string line = (*match)[1].str();
      const std::regex blank(" +");
      words.assign(std::sregex_token_iterator(line.begin(), line.end(), blank, -1), {});
      EXPECT_EQ(run_program(words, {.folder = folder.path()}).status, 0) << line;
      ++examples;
    }
  }
  EXPECT_EQ(examples, 6);
}

}  // namespace
}  // namespace normcert
