// Malformed case files of tests/data/malformed_cases, each with the exact message that it deserves
// (messages.tsv: file name, tab, message without the path in front).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "formats/case_file.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(NORMCERT_SOURCE_DIR) / "tests/data/malformed_cases";

std::map<std::string, std::string> messages() {
  std::map<std::string, std::string> by_name;
  std::ifstream file(kFolder / "messages.tsv");
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    by_name[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return by_name;
}

TEST(MalformedCaseFiles, AreRefusedInTheseWords) {
  const auto expected = messages();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name == "messages.tsv") continue;
    ++files;
    SCOPED_TRACE(name);
    ASSERT_TRUE(expected.contains(name));
    const std::string message = thrown_message([&] { (void)read_case_file(entry.path()); });
    EXPECT_EQ(message, entry.path().string() + ": " + expected.at(name));
  }
  EXPECT_EQ(files, expected.size());
  EXPECT_GE(files, 17U);
}

TEST(MalformedCaseFiles, AFileThatDoesNotExist) {
  EXPECT_NE(thrown_message([] { (void)read_case_file(kFolder / "absent.json"); }).find("absent"),
            std::string::npos);
}

}  // namespace
}  // namespace normcert
