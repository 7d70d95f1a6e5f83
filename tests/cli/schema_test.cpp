// normcert schema, and reports held to it by another program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "report/embedded_schemas.hpp"

namespace normcert {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

int shell(const std::string& line) {
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool validator_is_there() {
  return shell(std::string(kPython) +
               " -c 'from jsonschema import Draft202012Validator' 2> /dev/null") == 0;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Status 0: valid. 1: not valid. The schema itself is checked first (status 3).
int validate(const EmptyFolder& folder, const std::string& schema, const std::string& report) {
  write(folder.path() / "schema.json", schema);
  write(folder.path() / "report.json", report);
  write(folder.path() / "validate.py",
        "import json, sys\n"
        "from jsonschema import Draft202012Validator as V\n"
        "schema = json.load(open('schema.json', encoding='utf-8'))\n"
        "try:\n"
        "    V.check_schema(schema)\n"
        "except Exception as e:\n"
        "    print(e)\n"
        "    sys.exit(3)\n"
        "errors = [e.message for e in V(schema).iter_errors(json.load(open('report.json',\n"
        "    encoding='utf-8')))]\n"
        "for e in errors[:3]: print(e[:300])\n"
        "sys.exit(1 if errors else 0)\n");
  return shell("cd '" + folder.path().string() + "' && " + kPython +
               " validate.py > said.txt 2>&1");
}

TEST(Schema, ListsAndPrintsWhatTheSourceTreeHas) {
  std::string names;
  for (const EmbeddedFile& file : embedded_schemas()) {
    const std::string name(file.name.substr(0, file.name.find('.')));
    names += name + '\n';
    const auto path =
        std::filesystem::path(NORMCERT_SOURCE_DIR) / "reports" / "schema" / std::string(file.name);
    EXPECT_EQ(run_program({"schema", name}).out, read_whole_file(path)) << name;
  }
  EXPECT_EQ(run_program({"schema"}).out, names);
  EXPECT_NE(names.find("attenuation\n"), std::string::npos);
  EXPECT_NE(names.find("report\n"), std::string::npos);
}

// Each schema stands alone; what they share is the same in all.
TEST(Schema, EveryReportBeginsAlike) {
  const auto envelope = nlohmann::json::parse(run_program({"schema", "report"}).out);
  int kinds = 0;
  for (const EmbeddedFile& file : embedded_schemas()) {
    const auto schema = nlohmann::json::parse(file.content);
    EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema") << file.name;
    if (!schema.contains("$ref") || schema.at("$ref") != "#/$defs/report") continue;
    EXPECT_EQ(schema.at("$defs").at("report"), envelope.at("$defs").at("report")) << file.name;
    ++kinds;
  }
  EXPECT_GE(kinds, 2);  // report itself, attenuation
}

const std::vector<std::vector<std::string>>& runs() {
  static const std::vector<std::vector<std::string>> kRuns = {
      {"--epsilon", "1e-6"},
      {"--epsilon", "1e-6", "--reproducible"},
      {"--epsilon", "1e300", "--q", "1", "--versus", "1e-300"},
      {"--epsilon", "4e-320", "--q", "1e300", "--q", "0"},
      {"--epsilon", "0x1p-20", "--q", "0", "--versus", "1e-5", "--max-attenuation", "0.01"}};
  return kRuns;
}

std::string report_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"attenuation", "--format", "json"});
  return run_program(words).out;
}

TEST(Schema, ReportsAreValid) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  const EmptyFolder folder;
  for (const char* name : {"attenuation", "report"}) {
    const std::string schema = run_program({"schema", name}).out;
    for (const auto& words : runs()) {
      EXPECT_EQ(validate(folder, schema, report_of(words)), 0)
          << name << ": " << read_whole_file(folder.path() / "said.txt");
    }
  }
}

// Each change of a valid report, and each top-level key left out, makes it invalid.
void expect_strict(const EmptyFolder& folder, const std::string& schema,
                   const nlohmann::json& report,
                   const std::vector<std::pair<const char*, nlohmann::json>>& changes) {
  for (const auto& [place, value] : changes) {
    auto changed = report;
    changed[nlohmann::json::json_pointer(place)] = value;
    EXPECT_EQ(validate(folder, schema, changed.dump()), 1) << place;
  }
  for (const auto& [key, value] : report.items()) {
    if (key == "environment") continue;
    auto changed = report;
    changed.erase(key);
    EXPECT_EQ(validate(folder, schema, changed.dump()), 1) << "without " << key;
  }
}

void expect_valid(const EmptyFolder& folder, const char* name, std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  const std::string report = run_program(words, {.folder = folder.path()}).out;
  for (const char* schema : {name, "report"}) {
    EXPECT_EQ(validate(folder, run_program({"schema", schema}).out, report), 0)
        << schema << ": " << read_whole_file(folder.path() / "said.txt");
  }
}

TEST(Schema, CasesReports) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  const EmptyFolder folder;
  const std::string qwen3 = std::string(NORMCERT_SOURCE_DIR) + "/tests/data/models/qwen3-8b.json";
  expect_valid(folder, "cases", {"cases", "--config", qwen3, "--epsilon", "1e-5", "-o", "c.st"});
  write(folder.path() / "weightless.json",
        R"({"model_type": "nanochat", "rms_norm_eps": 1e-6, "hidden_size": 64,
            "num_hidden_layers": 1, "num_attention_heads": 4})");
  expect_valid(folder, "cases",
               {"cases", "--config", "weightless.json", "--dtype", "fp16", "--class", "small",
                "--class", "midpoint", "--dim", "16", "-o", "c.st"});
  const auto report =
      nlohmann::json::parse(run_program({"cases", "--dim", "8", "--dtype", "fp16", "--epsilon",
                                         "1e-6", "-o", "c.st", "--format", "json"},
                                        {.folder = folder.path()})
                                .out);
  expect_strict(folder, run_program({"schema", "cases"}).out, report,
                {{"/more", 1},
                 {"/kind", "recipes"},
                 {"/exit_status", 3},
                 {"/normcert_cases", "abc"},
                 {"/cases", nlohmann::json::array()},
                 {"/cases/0/more", 1},
                 {"/cases/0/class", "captured"},
                 {"/cases/0/rows", 0},
                 {"/cases/0/dtype", "f32"},
                 {"/cases/0/weight_dtype", ""},
                 {"/cases/0/sha256", nullptr},
                 {"/omitted/0", 1},
                 {"/next", "rm"}});
}

TEST(Schema, RecipesReports) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  const EmptyFolder folder;
  expect_valid(folder, "recipes", {"recipes"});
  expect_valid(folder, "recipes", {"recipes", "hf.llama", "naive.*"});
  write(folder.path() / "mine.json",
        R"({"schema": "normcert/recipe/1", "name": "mine", "association": "x*(r*w)"
})");
  const std::vector<std::string> check = {"recipes", "--check", "mine.json"};
expect_valid(folder, "recipes", check);
auto words = check;
words.insert(words.end(), {"--format", "json"});
const auto report = nlohmann::json::parse(run_program(words, {.folder = folder.path()}).out);
ASSERT_FALSE(report["checked"]["differences"].empty());
expect_strict(folder, run_program({"schema", "recipes"}).out, report,
              {{"/more", 1},
               {"/kind", "cases"},
               {"/shows_all", true},
               {"/inputs", nlohmann::json::array()},
               {"/checked", nullptr},  // although a file was read
               {"/checked/more", 1},
               {"/checked/nearest", "no name"},
               {"/checked/differences/0/more", 1},
               {"/recipes", nlohmann::json::array()},
               {"/recipes/0/more", 1},
               {"/recipes/0/version", 0},
               {"/recipes/0/json", "text"}});
}

TEST(Schema, RefusesWhatIsNoReport) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  using Pointer = nlohmann::json::json_pointer;
  const EmptyFolder folder;
  const std::string schema = run_program({"schema", "attenuation"}).out;
  const auto report = nlohmann::json::parse(report_of(runs().back()));
  const std::vector<std::pair<const char*, nlohmann::json>> changes = {
      {"/more", 1},
      {"/schema", "normcert/report/2"},
      {"/kind", "verify"},
      {"/exit_status", 1},
      {"/tool/more", 1},
      {"/environment/host", "name"},
      {"/rerun", "rm"},
      {"/epsilon/more", 1},
      {"/epsilon/binary64", 0},
      {"/epsilon/as/fp16", "nan"},
      {"/table", nlohmann::json::array()},
      {"/table/0/more", 1},
      {"/table/0/attenuation", 1.5},
      {"/table/0/exact", "0.5"},
      {"/versus/more", 1},
      {"/versus/table/0/more", 1},
      {"/versus/table/0/ratio", "0.5"},
      {"/least_q_over_epsilon", -1},
      {"/findings/0", "text"}};
  for (const auto& [place, value] : changes) {
    auto changed = report;
    changed[Pointer(place)] = value;
    EXPECT_EQ(validate(folder, schema, changed.dump()), 1) << place;
  }
  for (const auto& [key, value] : report.items()) {
    if (key == "environment") continue;
    auto changed = report;
    changed.erase(key);
    EXPECT_EQ(validate(folder, schema, changed.dump()), 1) << "without " << key;
  }
}

}  // namespace
}  // namespace normcert
