// Reports of normcert verify: when they are written, that they do not depend on threads, that
// hostile names stay text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/verify_run.hpp"

namespace normcert {
namespace {

using Names = std::vector<std::string>;

TEST(VerifyReports, AreWrittenWithEveryVerdict) {
  for (const auto& [limit, status] : {std::pair{"0x1p+20", 0}, {"1", 1}, {"", 3}}) {
    const EmptyFolder folder;
    write_wrong(folder.path() / "a.safetensors");
    Words words = {"a.safetensors", "--report", "r.json", "--report", "r.md"};
    if (*limit != '\0') words.insert(words.end(), {"--max-ulp", limit});
    EXPECT_EQ(run_verify(words, folder.path()).status, status) << limit;
    EXPECT_EQ(folder.names(), (Names{"a.safetensors", "r.json", "r.md"}));
    const auto report = nlohmann::json::parse(read_whole_file(folder.path() / "r.json"));
    EXPECT_EQ(report["exit_status"], status);
    const std::string markdown = read_whole_file(folder.path() / "r.md");
    const std::string verdict = report["verdict"]["value"];
    EXPECT_NE(markdown.find("**" + verdict), std::string::npos) << markdown.substr(0, 200);
    EXPECT_TRUE(is_utf8(markdown));
  }
}

TEST(VerifyReports, AreNotWrittenWhereNothingCouldBeJudged) {
  const EmptyFolder folder;
  write_right(folder.path() / "a.safetensors");
  EXPECT_EQ(
      run_verify({"a.safetensors", "--max-ulp", "x", "--report", "r.json"}, folder.path()).status,
      2);
  EXPECT_EQ(run_verify({"b.safetensors", "--report", "r.md"}, folder.path()).status, 2);
  EXPECT_EQ(folder.names(), Names{"a.safetensors"});
}

TEST(VerifyReports, TheJsonOnStdoutIsTheReport) {
  const EmptyFolder folder;
  write_wrong(folder.path() / "a.safetensors");
  const ProgramResult result = run_verify(
      {"a.safetensors", "--atol", "1e-3", "--format", "json", "--report", "r.json"}, folder.path());
  EXPECT_EQ(result.out, read_whole_file(folder.path() / "r.json"));
  EXPECT_TRUE(nlohmann::json::parse(result.out).contains("environment"));
}

TEST(VerifyReports, TheRerunLineIsQuotedForAShell) {
  const EmptyFolder folder;
  write_wrong(folder.path() / "a b.safetensors");
  const Words words = {"a b.safetensors", "--atol", "1e-3", "--format", "json", "--reproducible"};
  const ProgramResult result = run_verify(words, folder.path());
  const std::string rerun = nlohmann::json::parse(result.out)["rerun"];
  EXPECT_EQ(rerun, "normcert verify --atol 1e-3 'a b.safetensors'");
}

TEST(VerifyReports, DoNotDependOnThreads) {
  const std::vector<Words> runs = {
      {source_file("cases/captures/stories260K/right.safetensors"), "--config",
       source_file("cases/models/stories260K"), "--max-ulp", "1"},
      {"--dim", "48", "--dtype", "fp16", "--epsilon", "1e-5", "--candidate", "hf.*", "--max-ulp",
       "1"},
      {"--cases", source_file("cases/claims"), "--candidate", "reference.rounded"}};
  for (Words words : runs) {
    words.insert(words.end(), {"--reproducible", "--format", "json", "--threads", "1"});
    const ProgramResult one = run_verify(words);
    words.back() = "2";
    const ProgramResult two = run_verify(words);
    EXPECT_EQ(one.status, two.status);
    EXPECT_EQ(one.err, "");
    EXPECT_FALSE(one.out.empty());
    EXPECT_TRUE(one.out == two.out) << words[0];
    EXPECT_EQ(one.out.find("\"environment\""), std::string::npos);
  }
}

TEST(VerifyReports, TheSeedChangesGeneratedRowsOnly) {
  const auto rows_of = [](const char* seed) {
    const auto [status, report] = report_of({"--dim", "16", "--dtype", "bf16", "--epsilon", "1e-6",
                                             "--candidate", "reference.rounded", "--seed", seed});
    std::vector<std::string> hashes;
    for (const auto& c : report["cases"]) hashes.push_back(c["sha256"]);
    return hashes;
  };
  EXPECT_EQ(rows_of("0"), rows_of("0"));
  EXPECT_NE(rows_of("0"), rows_of("1"));
}

TEST(VerifyReports, HostileNamesStayText) {
  const EmptyFolder folder;
  const std::string name = "a\x1b[31m|`<b>\xff\n.safetensors";
  write_capture(
      folder.path() / name, complete_metadata(),
      {{"s\x1b]0;x\x07|<i>`.x", numbers(kRow)}, {"s\x1b]0;x\x07|<i>`.y", numbers(kWrong)}});
  for (const char* format : {"text", "json", "markdown"}) {
    const ProgramResult result =
        run_verify({name, "--atol", "1e-3", "--format", format}, folder.path());
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_TRUE(is_utf8(result.out)) << format;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << format;
    EXPECT_EQ(result.out.find('\x07'), std::string::npos) << format;
    if (std::string(format) == "markdown") {
      EXPECT_EQ(result.out.find("<i>"), std::string::npos);
    }
  }
}

TEST(VerifyReports, HostileIdsOfCaseFilesStayText) {
  const EmptyFolder folder;
  write_text(folder.path() / "c.json",
             R"({"schema": "normcert/cases/1", "cases": [{"id": "| <script> ::error:: `a`",
      "class": "custom", "note": "n", "epsilon": 39, "x": [[1, 7]], "y": [[0.125, 0.9]]}]})");
  for (const char* format : {"text", "json", "markdown"}) {
    const ProgramResult result =
        run_verify({"c.json", "--atol", "1e-3", "--format", format}, folder.path());
    EXPECT_EQ(result.status, 1) << result.err;
    if (std::string(format) == "markdown") {
      EXPECT_EQ(result.out.find("<script>"), std::string::npos);
    }
  }
}

TEST(VerifyReports, HostileErrorsStayText) {
  const EmptyFolder folder;
  const std::string name = "no\x1b[31m\xff\nsuch";
  expect_verify_refused({name}, {"no\\x1B[31m\\xFF\\x0Asuch"}, folder.path());
  write_capture(folder.path() / "a.safetensors", {{"weight_offset", "0"}},
                {{"\x1b[1ms.x", numbers(kRow)}, {"\x1b[1ms.y", numbers(kRight)}});
  expect_verify_refused({"a.safetensors"}, {"\\x1B[1ms"}, folder.path());
}

TEST(VerifyReports, EqualLinesAreFoldedUnlessAllAreAskedFor) {
  const Words words = {"--cases", source_file("cases/claims"), "--candidate", "reference.rounded"};
  Words all = words;
  all.push_back("--all");
  const std::string folded = run_verify(words).out;
  const std::string full = run_verify(all).out;
  EXPECT_NE(folded.find("more results; --all shows them"), std::string::npos);
  EXPECT_EQ(full.find("--all shows them"), std::string::npos);
  EXPECT_GT(full.size(), folded.size());
}

}  // namespace
}  // namespace normcert
