#include "report/envelope.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problem/error.hpp"
#include "report/build_info.hpp"
#include "report/views.hpp"

namespace normcert {
namespace {

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(Envelope, KeysAndOrder) {
  Envelope envelope;
  envelope.kind = "verify";
  envelope.verdict = Verdict{"rejected", "function", {{"bits", "why", "a.b", std::nullopt}}};
  envelope.exit_status = 1;
  envelope.rerun = "normcert verify";
  envelope.inputs = {{"a.npz", std::nullopt, "file"}};
  envelope.overrides = {{"--epsilon", "1e-6", "1e-05", "config.json"}};
  envelope.findings = {{"padding", "warning", std::nullopt, "3 rows"}};
  const auto json = envelope_json(envelope);
  EXPECT_EQ(keys_of(json),
            (std::vector<std::string>{"schema", "kind", "verdict", "exit_status", "tool",
                                      "environment", "rerun", "inputs", "overrides", "findings"}));
  EXPECT_EQ(json["schema"], "normcert/report/1");
  EXPECT_EQ(json["tool"]["version"], std::string(build_info().version));
  EXPECT_EQ(json["verdict"].dump(),
            R"({"value":"rejected","level":"function","reasons":[)"
            R"({"code":"bits","text":"why","site":"a.b","candidate":null}]})");
  EXPECT_EQ(json["inputs"].dump(), R"([{"path":"a.npz","sha256":null,"what_was_hashed":"file"}])");
  EXPECT_EQ(json["overrides"].dump(),
            R"([{"option":"--epsilon","value":"1e-6","replaces":"1e-05","from":"config.json"}])");
  EXPECT_EQ(json["findings"].dump(),
            R"([{"rule":"padding","level":"warning","site":null,"text":"3 rows"}])");
  EXPECT_EQ(keys_of(json["environment"]),
            (std::vector<std::string>{"commit", "compiler", "flags", "cpu", "os"}));
}

TEST(Envelope, ReproducibleLeavesTheMachineOut) {
  Envelope envelope;
  envelope.kind = "attenuation";
  envelope.reproducible = true;
  const auto json = envelope_json(envelope);
  EXPECT_FALSE(json.contains("environment"));
  EXPECT_TRUE(json["verdict"].is_null());
  EXPECT_EQ(json["inputs"], nlohmann::ordered_json::array());
}

TEST(Views, TheEndingPicks) {
  EXPECT_EQ(view_of_path("a.json", "--report"), View::kJson);
  EXPECT_EQ(view_of_path("dir.md/a.JSON", "--report"), View::kJson);
  EXPECT_EQ(view_of_path("a.b.md", "--report"), View::kMarkdown);
  for (const char* path : {"a", "", "a.txt", "a.json.gz", ".md", "a.md/", "a.json "}) {
    EXPECT_THROW(static_cast<void>(view_of_path(path, "--report")), InputError) << path;
  }
}

}  // namespace
}  // namespace normcert
