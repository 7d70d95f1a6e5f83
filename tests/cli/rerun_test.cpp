// The rerun line: what a shell makes of it is what was given.
#include "cli/rerun.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

TEST(Rerun, PlainWordsStayBare) {
  for (const char* word : {"1e-6", "--q=1", "a/b_c.json", "model.layers.0", "x,y:z@%+"}) {
    EXPECT_EQ(shell_word(word), word);
  }
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("*"), "'*'");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word("é"), "'é'");
  EXPECT_EQ(shell_word("a\nb\xff'\\"), "$'a\\012b\\377\\'\\\\'");
}

TEST(Rerun, AShellReadsTheSameWords) {
  if (std::system("bash -c true 2> /dev/null") != 0) GTEST_SKIP() << "needs bash";
  std::vector<std::string> words = {"$(echo no)",
                                    "`echo no`",
                                    "a;b|c&d",
                                    "\"q\"",
                                    "!x",
                                    "-n",
                                    "\\",
                                    "'",
                                    "\x1b[31m",
                                    "\xe2\x80\xae"
                                    "8",
                                    "\xff\xfe"
                                    "7",
                                    "\t",
                                    "a\nb",
                                    "#",
                                    "{a,b}",
                                    "<x>",
                                    "$'x'",
                                    "ends in blank "};
  for (int byte = 1; byte < 256; ++byte) words.push_back({'a', static_cast<char>(byte), '1'});
  const EmptyFolder folder;
  std::string line = "printf '%s\\0'";
  std::string expected;
  for (const std::string& word : words) {
    EXPECT_EQ(printable(shell_word(word), 1000), shell_word(word));  // fit to be shown
    line += ' ' + shell_word(word);
    expected += word + '\0';
  }
  const std::string script = (folder.path() / "script").string();
  FILE* const file = std::fopen(script.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fwrite(line.data(), 1, line.size(), file);
  std::fclose(file);
  ASSERT_EQ(std::system(("bash " + script + " > " + script + ".out").c_str()), 0);
  EXPECT_EQ(read_whole_file(script + ".out"), expected);
}

TEST(Rerun, HoldsWhatChangesAResultAndNothingElse) {
  std::optional<std::string> one = "1e-6";
  std::optional<std::string> none;
  std::vector<std::string> many = {"a b", "c"};
  std::vector<std::string> words = {"x.json", "-y"};
  bool set = true;
  bool unset = false;
  OptionList list;
  list.add("--one", "X", "", one);
  list.add("--none", "X", "", none);
  list.add_flag("--set", "", set);
  list.add_flag("--unset", "", unset);
  list.add_repeatable("--many", "X", "", many);
  list.add_positionals("WORD", "", words);
  SharedOptionTexts shared;
  shared.format = "json";
  shared.reports = {"a.json"};
  shared.threads = "7";
  shared.quiet = shared.all = shared.reproducible = true;
  EXPECT_EQ(rerun_line("verify", list, shared),
            "normcert verify --one 1e-6 --set --many 'a b' --many c -- x.json -y");
  shared.seed = "5";
  words = {"x.json"};
  EXPECT_EQ(rerun_line("verify", list, shared),
            "normcert verify --one 1e-6 --set --many 'a b' --many c --seed 5 x.json");
}

}  // namespace
}  // namespace normcert
