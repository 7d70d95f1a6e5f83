// Reports as files: which views there are, that they appear whole or not at all, and what happens
// to them where stdout cannot be written.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

namespace normcert {
namespace {

using Names = std::vector<std::string>;

std::vector<std::string> attenuation(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"attenuation", "--epsilon", "1e-6"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Reports, AreWhatStdoutWouldShow) {
  const EmptyFolder folder;
  const ProgramSetting here{.folder = folder.path()};
  const ProgramResult both =
      run_program(attenuation({"--report", "a.json", "--report", "b.md", "--report=C.MD"}), here);
  EXPECT_EQ(both.status, 0);
  EXPECT_EQ(both.err, "");
  EXPECT_EQ(folder.names(), (Names{"C.MD", "a.json", "b.md"}));
  EXPECT_EQ(both.out, run_program(attenuation({})).out);
  EXPECT_EQ(read_whole_file(folder.path() / "a.json"),
            run_program(attenuation({"--format", "json"})).out);
  EXPECT_EQ(read_whole_file(folder.path() / "b.md"),
            run_program(attenuation({"--format", "markdown"})).out);
  EXPECT_EQ(read_whole_file(folder.path() / "b.md"), read_whole_file(folder.path() / "C.MD"));
}

TEST(Reports, DependOnNoSharedOption) {
  const std::string bare = run_program(attenuation({"--format", "json", "--reproducible"})).out;
  const std::vector<std::string> more = {"--format", "json",    "--reproducible", "--threads",
                                         "3",        "--quiet", "--all",          "--no-color"};
  EXPECT_EQ(run_program(attenuation(more)).out, bare);
  EXPECT_FALSE(nlohmann::json::parse(bare).contains("environment"));
  const auto with = nlohmann::json::parse(run_program(attenuation({"--format", "json"})).out);
  ASSERT_TRUE(with.contains("environment"));
  for (const char* key : {"commit", "compiler", "flags", "cpu", "os"}) {
    EXPECT_TRUE(with["environment"].contains(key)) << key;
  }
}

TEST(Reports, RefusePathsBeforeAnyWork) {
  const EmptyFolder folder;
  std::filesystem::create_directory(folder.path() / "d.json");
  const auto expect_refused = [&](const std::string& path, const std::string& said) {
    SCOPED_TRACE(path);
    // The first report is fine; it must not appear either.
    const ProgramResult result = run_program(
        attenuation({"--report", "good.json", "--report", path}), {.folder = folder.path()});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    EXPECT_EQ(folder.names(), Names{"d.json"});
  };
  expect_refused("d.json", "d.json");
  expect_refused("no/such/folder.json", "no/such/folder.json");
  expect_refused("a.html", ".html is not available in this version");
  expect_refused("a.xml", ".xml is not available in this version");
  expect_refused("a.sarif", ".sarif is not available in this version");
  expect_refused("a.txt", "ends in .json or .md");
  expect_refused("json", "ends in .json or .md");
  expect_refused(".json", "ends in .json or .md");
  expect_refused("schema.json/", "schema.json/");
}

TEST(Reports, SchemaMakesNone) {
  const EmptyFolder folder;
  const ProgramResult result =
      run_program({"schema", "--report", "a.json"}, {.folder = folder.path()});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(folder.names(), Names{});
}

TEST(Reports, ReplaceAFileAndKeepItsPermissions) {
  const EmptyFolder folder;
  const auto path = folder.path() / "a.json";
  ASSERT_EQ(run_program(attenuation({"--report", path.string()})).status, 0);
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string first = read_whole_file(path);
  ASSERT_EQ(run_program(attenuation({"--q", "1", "--report", path.string()})).status, 0);
  EXPECT_NE(read_whole_file(path), first);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(folder.names(), Names{"a.json"});
}

TEST(Reports, AreNotLeftWhereStdoutFails) {
  for (const std::vector<std::string>& words :
       {attenuation({"--report", "a.json"}), std::vector<std::string>{"--version"},
        std::vector<std::string>{"--help"}, std::vector<std::string>{"schema"}}) {
    SCOPED_TRACE(words.front());
    const EmptyFolder folder;
    const ProgramResult full =
        run_program(words, {.stdout_path = "/dev/full", .folder = folder.path()});
    EXPECT_EQ(full.status, 2);
    EXPECT_NE(full.err.find("standard output"), std::string::npos) << full.err;
    EXPECT_NE(full.err.find("No space left on device"), std::string::npos) << full.err;
    EXPECT_EQ(folder.names(), Names{});
    const ProgramResult closed =
        run_program(words, {.stdout_closed = true, .folder = folder.path()});
    EXPECT_EQ(closed.status, 2);
    EXPECT_NE(closed.err.find("standard output"), std::string::npos) << closed.err;
    EXPECT_EQ(folder.names(), Names{});
  }
}

// Nothing on stdout claims a success that is none, wherever the other report would have gone.
TEST(Reports, StdoutSaysNothingWhereOneCannotBeWritten) {
  const EmptyFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path() / "full.json");
  const ProgramResult result = run_program(
      attenuation({"--report", "a.json", "--report", "full.json"}), {.folder = folder.path()});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("full.json: found a path that cannot be written (No space left"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(folder.names(), Names{"full.json"});
}

TEST(Reports, HostilePathsStayText) {
  // Reports do not say where they are written; names of any bytes work, and none is a list.
  for (const std::string& name : {std::string("a\x1b[31m|`<b>\xff.md"), std::string("[a,b].md"),
                                  std::string("{}.md"), std::string("-a=b.md")}) {
    SCOPED_TRACE(name);
    const EmptyFolder folder;
    const ProgramResult result =
        run_program(attenuation({"--report", name}), {.folder = folder.path()});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(folder.names(), Names{name});
    const std::string text = read_whole_file(folder.path() / name);
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace normcert
