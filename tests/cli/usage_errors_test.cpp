// Whatever is wrong with a command line ends with status 2, one line on stderr that repeats what
// was typed, and nothing on stdout.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

namespace normcert {
namespace {

struct Wrong {
  std::vector<std::string> words;
  std::vector<std::string> said;  // parts of the message
};

void expect_refused(const Wrong& wrong) {
  std::string shown;
  for (const std::string& word : wrong.words) shown += ' ' + word;
  SCOPED_TRACE("normcert" + shown);
  const ProgramResult result = run_program(wrong.words);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("normcert: error: ")) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.ends_with('\n'));
  EXPECT_TRUE(is_utf8(result.err));
  for (const std::string& part : wrong.said) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\nnot in " << result.err;
  }
}

TEST(UsageErrors, Epsilon) {
  const std::vector<std::string> values = {"0",   "-0",    "-1e-6",  "nan",   "inf",   "-inf",
                                           "abc", "1e999", "1e-999", "1e",    "1e-6x", " 1e-6",
                                           "0x",  "--",    "1,5",    "1e-6 ", "."};
  for (const std::string& value : values) {
    expect_refused({{"attenuation", "--epsilon=" + value}, {"--epsilon", value}});
    if (value == "--") continue;  // that ends the options
    expect_refused({{"attenuation", "--epsilon", value}, {"--epsilon: found " + value}});
    expect_refused(
        {{"attenuation", "--epsilon", "1e-6", "--versus", value}, {"--versus: found " + value}});
  }
  expect_refused({{"attenuation", "--epsilon", ""}, {"--epsilon: found an empty value"}});
  expect_refused({{"attenuation", "--epsilon="}, {"--epsilon: found an empty value"}});
  expect_refused({{"attenuation", "--epsilon=", "1e-6"}, {"--epsilon: found an empty value"}});
  expect_refused({{"attenuation"}, {"no --epsilon", "--epsilon TEXT"}});
}

TEST(UsageErrors, Rows) {
  for (const char* option : {"--q", "--q-over-epsilon"}) {
    for (const char* value :
         {"-1", "nan", "inf", "x", "1e999", "1e-999", "-1e-300", "1 2", "[1,2]", "{}"}) {
      expect_refused({{"attenuation", "--epsilon", "1e-6", option, "1", option, value},
                      {std::string(option) + ": found " + value}});
    }
  }
  // q would leave the range of binary64 although neither number does.
  expect_refused({{"attenuation", "--epsilon", "1e300", "--q-over-epsilon", "1e300"},
                  {"--q-over-epsilon: found 1e300", "range of binary64"}});
  expect_refused({{"attenuation", "--epsilon", "1e-300", "--q-over-epsilon", "1e-300"},
                  {"--q-over-epsilon: found 1e-300", "range of binary64"}});
}

TEST(UsageErrors, MaxAttenuation) {
  for (const char* value : {"0", "1", "1.5", "-0.01", "nan", "one", "1e999", "1e-320"}) {
    expect_refused({{"attenuation", "--epsilon", "1e-6", "--max-attenuation", value},
                    {std::string("--max-attenuation: found ") + value}});
  }
}

TEST(UsageErrors, UnknownNamesSuggestTheNearest) {
  expect_refused({{}, {"no command", "attenuation"}});
  expect_refused({{"--quiet"}, {"no command"}});
  expect_refused({{"atenuation"}, {"atenuation", "did you mean \"attenuation\""}});
  expect_refused({{"atenuation", "--epsilon", "1"}, {"the unknown command atenuation"}});
  expect_refused({{"shema"}, {"did you mean \"schema\""}});
  expect_refused({{"attenuation", "--epsilom", "1"}, {"--epsilom", "did you mean \"--epsilon\""}});
  expect_refused({{"attenuation", "--epsilom=1"}, {"--epsilom=1", "did you mean \"--epsilon\""}});
  expect_refused({{"attenuation", "-epsilon", "1"}, {"did you mean \"--epsilon\""}});
  expect_refused({{"--fromat", "json"}, {"did you mean \"--format\""}});
  expect_refused({{"attenuation", "--epsilon", "1", "--repot", "a.md"}, {"\"--report\""}});
  expect_refused({{"attenuation", "--epsilon", "1", "-x"}, {"unknown option -x"}});
  expect_refused({{"attenuation", "--eps", "1"}, {"unknown option --eps,"}});  // no abbreviations
  expect_refused({{"schema", "atenuation"}, {"did you mean \"attenuation\""}});
  expect_refused({{"schema", "attenuation.json"}, {"unknown schema attenuation.json"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--zzzzzzzz"}, {"unknown option --zzzzzzzz"}});
}

TEST(UsageErrors, HowOften) {
  expect_refused(
      {{"attenuation", "--epsilon", "1", "--epsilon", "1"}, {"--epsilon: found 2 times"}});
  expect_refused({{"--format", "json", "attenuation", "--epsilon", "1", "--format", "json"},
                  {"--format: found 2 times"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--quiet", "--quiet"}, {"--quiet: found 2"}});
  // A repeatable option takes one value each time.
  expect_refused({{"attenuation", "--epsilon", "1", "--q", "1", "2"}, {"the word 2"}});
  expect_refused({{"attenuation", "1e-6"}, {"the word 1e-6"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--", "--q"}, {"the word --q"}});
  expect_refused({{"attenuation", "--epsilon", "1", "schema"}, {"the word schema"}});
  expect_refused({{"schema", "report", "attenuation"}, {"2 names"}});
}

TEST(UsageErrors, MissingAndSuperfluousValues) {
  expect_refused({{"attenuation", "--epsilon"}, {"--epsilon: found no value"}});
  expect_refused({{"attenuation", "--epsilon", "--q", "1"}, {"--epsilon: found no value"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--report"}, {"--report: found no value"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--report="}, {"--report: found an empty"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--quiet=yes"}, {"--quiet: found yes"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--quiet=true"}, {"--quiet: found true"}});
}

TEST(UsageErrors, SharedOptions) {
  const auto with = [](const std::string& option, const std::string& value) {
    return std::vector<std::string>{"attenuation", "--epsilon", "1e-6", option, value};
  };
  expect_refused({with("--format", "xml"), {"--format: found xml", "text, json, markdown"}});
  expect_refused({with("--format", "jsn"), {"did you mean \"json\""}});
  expect_refused({with("--format", "JSON"), {"--format: found JSON"}});
  for (const char* value : {"0", "-1", "1.5", "two", "1025", "99999999999999999999", "+1", "1 "}) {
    expect_refused({with("--threads", value), {std::string("--threads: found ") + value}});
  }
  for (const char* value : {"-1", "x", "18446744073709551616"}) {
    expect_refused({with("--seed", value), {std::string("--seed: found ") + value}});
  }
}

TEST(UsageErrors, ValuesComeBeforeEverythingElse) {
  // Both are wrong; the one that needs no file is told.
  expect_refused({{"attenuation", "--epsilon", "abc", "--report", "/no/such/folder/a.json"},
                  {"--epsilon: found abc"}});
  expect_refused({{"attenuation", "--epsilon", "abc", "--report", "a.txt"}, {"--report: found"}});
}

TEST(UsageErrors, HostileText) {
  expect_refused({{"attenuation", "--epsilon", "1\x1b[2J\n\r"}, {"1\\x1B[2J\\x0A\\x0D"}});
  expect_refused({{"attenuation", "--epsilon", "\xff\xfe"}, {"--epsilon: found \\xFF\\xFE"}});
  expect_refused({{"attenuation", "--epsilon", "\xe2\x80\xae"}, {"\\u{202E}"}});
  expect_refused({{"attenu\xc3"}, {"attenu\\xC3"}});
  expect_refused({{"attenuation", "--epsilon", "1", "--\x07"}, {"--\\x07"}});
  expect_refused(
      {{"attenuation", "--epsilon", "1", "--report", "a\x1b[31m.txt"}, {"a\\x1B[31m.txt"}});
  expect_refused({{"attenuation", "--epsilon", std::string(100000, '9')}, {"999..."}});
  expect_refused({{std::string(100000, 'a')}, {"aaa..."}});
  expect_refused({{""}, {"the unknown command"}});
  expect_refused({{"attenuation", "--epsilon", "1", "%s%n"}, {"%s%n"}});
}

}  // namespace
}  // namespace normcert
