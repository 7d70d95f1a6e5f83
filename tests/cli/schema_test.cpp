// normcert schema, and reports held to it by another program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/schema_validator.hpp"
#include "report/embedded_schemas.hpp"

namespace normcert {
namespace {

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(Schema, ListsAndPrintsWhatTheSourceTreeHas) {
  std::string names;
  for (const EmbeddedFile& file : embedded_schemas()) {
    const std::string name(file.name.substr(0, file.name.find('.')));
    names += name + '\n';
    const auto path =
        std::filesystem::path(NORMCERT_SOURCE_DIR) / "reports" / "schema" / std::string(file.name);
    EXPECT_TRUE(run_program({"schema", name}).out == read_whole_file(path)) << name;
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

nlohmann::json report_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"attenuation", "--format", "json"});
  return nlohmann::json::parse(run_program(words).out);
}

void expect_valid(const std::string& kind, const nlohmann::json& reports) {
  for (const std::string& name : {kind, std::string("report")}) {
    const std::vector<std::string> said = validated(run_program({"schema", name}).out, reports);
    for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i], "ok") << name << ' ' << i;
  }
}

// What the program makes of `words`, started in `folder`, is valid.
void expect_valid(const EmptyFolder& folder, const std::string& kind,
                  std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  const std::string report = run_program(words, {.folder = folder.path()}).out;
  expect_valid(kind, nlohmann::json::array({nlohmann::json::parse(report)}));
}

// Each change of a valid report, and each top-level key left out, makes it invalid.
void expect_strict(const std::string& kind, const nlohmann::json& report,
                   const std::vector<std::pair<const char*, nlohmann::json>>& changes) {
  nlohmann::json changed;
  std::vector<std::string> what;
  for (const auto& [place, value] : changes) {
    changed.push_back(report);
    changed.back()[nlohmann::json::json_pointer(place)] = value;
    what.emplace_back(place);
  }
  for (const auto& [key, value] : report.items()) {
    if (key == "environment") continue;  // --reproducible leaves it out
    changed.push_back(report);
    changed.back().erase(key);
    what.push_back("without " + key);
  }
  const std::vector<std::string> said = validated(run_program({"schema", kind}).out, changed);
  for (std::size_t i = 0; i < said.size(); ++i) EXPECT_NE(said[i], "ok") << what[i];
}

TEST(Schema, AttenuationReports) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  nlohmann::json reports;
  for (const auto& words : runs()) reports.push_back(report_of(words));
  expect_valid("attenuation", reports);
  expect_strict("attenuation", reports.back(),
                {{"/more", 1},
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
                 {"/findings/0", "text"}});
}

TEST(Schema, CasesReports) {
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  const EmptyFolder folder;
  const std::string qwen3 = std::string(NORMCERT_SOURCE_DIR) + "/tests/data/models/qwen3-8b.json";
  expect_valid(folder, "cases", {"cases", "--config", qwen3, "--epsilon", "1e-5", "-o", "c.st"});
  write_text(folder.path() / "weightless.json",
             R"({"model_type": "nanochat", "rms_norm_eps": 1e-6, "hidden_size": 64,
            "num_hidden_layers": 1, "num_attention_heads": 4})");
  expect_valid(folder, "cases",
               {"cases", "--config", "weightless.json", "--dtype", "fp16", "--class", "small",
                "--class", "midpoint", "--dim", "16", "-o", "c.st"});
  for (const char* second : {"hf.llama", "hf.olmo2"}) {  // equal, separated
    expect_valid(folder, "cases",
                 {"cases", "--separate", "hf.llama", second, "--dim", "8", "--dtype", "bf16",
                  "--epsilon", "1e-6", "-o", "c.st"});
  }
  const auto report =
      nlohmann::json::parse(run_program({"cases", "--dim", "8", "--dtype", "fp16", "--epsilon",
                                         "1e-6", "-o", "c.st", "--format", "json"},
                                        {.folder = folder.path()})
                                .out);
  expect_strict("cases", report,
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
  write_text(folder.path() / "mine.json",
             "{\"schema\": \"normcert/recipe/1\", \"name\": \"mine\", \"association\": "
             "\"x*(r*w)\", \"cast\": \"after_weight\"}");
  const std::vector<std::string> check = {"recipes", "--check", "mine.json"};
  expect_valid(folder, "recipes", check);
  auto words = check;
  words.insert(words.end(), {"--format", "json"});
  const auto report = nlohmann::json::parse(run_program(words, {.folder = folder.path()}).out);
  ASSERT_FALSE(report["checked"]["differences"].empty());
  expect_strict("recipes", report,
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

}  // namespace
}  // namespace normcert
