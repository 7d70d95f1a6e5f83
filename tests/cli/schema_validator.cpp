#include "cli/schema_validator.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run_program.hpp"

namespace normcert {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

int shell(const std::string& line) {
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

bool validator_is_there() {
  return shell(std::string(kPython) +
               " -c 'from jsonschema import Draft202012Validator' 2> /dev/null") == 0;
}

std::vector<std::string> validated(const std::string& schema, const nlohmann::json& reports) {
  const EmptyFolder folder;
  write(folder.path() / "schema.json", schema);
  write(folder.path() / "reports.json", reports.dump());
  write(folder.path() / "validate.py",
        "import json\n"
        "from jsonschema import Draft202012Validator as V\n"
        "schema = json.load(open('schema.json', encoding='utf-8'))\n"
        "V.check_schema(schema)\n"
        "for report in json.load(open('reports.json', encoding='utf-8')):\n"
        "    errors = [repr((list(e.absolute_path), e.message))[:300]\n"
        "              for e in V(schema).iter_errors(report)]\n"
        "    print('; '.join(errors[:3]) or 'ok')\n");
  const std::string line = "cd '" + folder.path().string() + "' && " + kPython + " validate.py";
  EXPECT_EQ(shell(line + " > said.txt 2>&1"), 0) << read_whole_file(folder.path() / "said.txt");
  std::istringstream said(read_whole_file(folder.path() / "said.txt"));
  std::vector<std::string> lines;
  for (std::string text; std::getline(said, text);) lines.push_back(text);
  EXPECT_EQ(lines.size(), reports.size());
  lines.resize(reports.size());
  return lines;
}

}  // namespace normcert
