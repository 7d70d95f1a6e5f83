// Case files with one mistake each: refused with the place and the value as it stands in the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/verify_run.hpp"

namespace normcert {
namespace {

struct Malformed {
  std::string file;
  std::string message;
};

std::vector<Malformed> malformed_files() {
  std::ifstream lines(source_file("tests/data/malformed_cases/messages.tsv"));
  std::vector<Malformed> list;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) list.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return list;
}

TEST(VerifyMalformedCases, AreRefusedWithTheirPlaceAndValue) {
  const std::vector<Malformed> list = malformed_files();
  EXPECT_GE(list.size(), 10U);
  for (const Malformed& malformed : list) {
    SCOPED_TRACE(malformed.file);
    const std::string path = source_file("tests/data/malformed_cases/" + malformed.file);
    ASSERT_TRUE(std::filesystem::exists(path));
    // The value that is wrong, as the file has it; the rest of the message is the reader's.
    const std::size_t end = malformed.message.find(", expected");
    expect_verify_refused({"--cases", path, "--candidate", "reference.rounded"},
                          {malformed.file, malformed.message.substr(0, end)});
  }
}

TEST(VerifyMalformedCases, OneBadFileAmongGoodOnesIsRefused) {
  const EmptyFolder folder;
  std::filesystem::copy(source_file("cases/claims/02_two_elements.json"), folder.path() / "a.json");
  EXPECT_EQ(run_verify({"--cases", ".", "--candidate", "reference.rounded"}, folder.path()).status,
            0);
  std::filesystem::copy(source_file("tests/data/malformed_cases/empty.json"),
                        folder.path() / "b.json");
  expect_verify_refused({"--cases", ".", "--candidate", "reference.rounded", "--report", "r.json"},
                        {"b.json"}, folder.path());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.json", "b.json"}));
}

TEST(VerifyMalformedCases, ARefusalThatTheFileExpectsIsListed) {
  const EmptyFolder folder;
  write_text(folder.path() / "c.json", R"({"schema": "normcert/cases/1", "cases": [
    {"id": "bad", "class": "invalid", "epsilon": 1, "x": [["nan", 1]],
     "expect": {"error": "non_finite_input"}},
    {"id": "good", "class": "custom", "epsilon": 39, "x": [[1, 7]], "y": [[0.125, 0.875]]}]})");
  const auto [status, report] = report_of({"c.json", "--max-ulp", "0"}, folder.path());
  EXPECT_EQ(status, 0);
  ASSERT_EQ(report["refused"].size(), 1U);
  EXPECT_EQ(report["refused"][0]["id"], "bad");
  EXPECT_EQ(report["refused"][0]["code"], "non_finite_input");
  // The same without the mistake: it should have been refused and was not.
  write_text(folder.path() / "c.json", R"({"schema": "normcert/cases/1", "cases": [
    {"id": "bad", "class": "invalid", "epsilon": 1, "x": [[2, 1]],
     "expect": {"error": "non_finite_input"}}]})");
  expect_verify_refused({"c.json", "--max-ulp", "0"}, {"non_finite_input"}, folder.path());
}

}  // namespace
}  // namespace normcert
