// verify --part and report merge: the merged report has the bytes of the whole run, and parts that
// do not belong together are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/schema_validator.hpp"
#include "cli/verify_run.hpp"
#include "judge/made_rows.hpp"

namespace normcert {
namespace {

using Json = nlohmann::ordered_json;

// x and y of `rows` rows, complete.
void write_rows(const std::filesystem::path& path, std::size_t rows, std::uint64_t seed = 1) {
  const Case value = made_case(rows, 4, kBf16, seed);
  write_capture(path, complete_metadata("1e-3"), {{"x", value.x}, {"y", made_outputs(value)}});
}

class Parts : public testing::Test {
 protected:
  Parts() {
    write_rows(at("a.safetensors"), 4097);
    write_rows(at("b.safetensors"), 1);
    write_rows(at("c.safetensors"), 9000, 3);
  }

  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  // Each run tries the same defects again, which takes the sanitizers long.
  [[nodiscard]] static Words asked(const std::string& power = "off") {
    return {"a.safetensors", "b.safetensors",  "c.safetensors",    "--candidate",
            "hf.llama",      "--mutant",       "wrong.no_epsilon", "--max-ulp",
            "1.25",          "--reproducible", "--power",          power};
  }

  void write_part(const std::string& part, const std::string& file, Words words = asked()) const {
    words.insert(words.end(), {"--part", part, "--report", file});
    const ProgramResult result = run_verify(words, folder_.path());
    EXPECT_NE(result.status, 2) << result.err;
  }

  [[nodiscard]] ProgramResult merge(const Words& files, const std::string& output) const {
    Words words = {"report", "merge"};
    words.insert(words.end(), files.begin(), files.end());
    words.insert(words.end(), {"-o", output});
    return run_program(words, {.folder = folder_.path()});
  }

  void expect_refused(const Words& files, const std::vector<std::string>& said) const {
    const ProgramResult result = merge(files, "no.json");
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    for (const std::string& part : said) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " not in " << result.err;
    }
    EXPECT_FALSE(std::filesystem::exists(at("no.json")));
  }

  // The report without the line that names the command.
  [[nodiscard]] std::string without_rerun(const std::string& name) const {
    std::string text = read_whole_file(at(name));
    const std::size_t begin = text.find("  \"rerun\": ");
    EXPECT_NE(begin, std::string::npos);
    return text.erase(begin, text.find('\n', begin) - begin);
  }

  [[nodiscard]] Json read(const std::string& name) const {
    return Json::parse(read_whole_file(at(name)));
  }
  void write(const std::string& name, const Json& json) const { write_text(at(name), json.dump()); }

  EmptyFolder folder_;
};

TEST_F(Parts, MergedTheyAreTheWhole) {
  Words whole = asked("sample");
  whole.insert(whole.end(), {"--report", "whole.json"});
  const ProgramResult result = run_verify(whole, folder_.path());
  EXPECT_EQ(result.status, 1) << result.err;
  const std::string expected = without_rerun("whole.json");
  for (const int of : {1, 3}) {
    Words files;
    for (int index = of; index >= 1; --index) {
      files.push_back("part" + std::to_string(index) + ".json");
      write_part(std::to_string(index) + "/" + std::to_string(of), files.back(), asked("sample"));
    }
    const ProgramResult merged = merge(files, "merged.json");
    EXPECT_EQ(merged.status, 1) << merged.err;
    EXPECT_EQ(merged.out, result.out) << of;
    EXPECT_TRUE(without_rerun("merged.json") == expected) << of << " parts";
  }
  EXPECT_TRUE(read("merged.json").at("rerun").get<std::string>().starts_with("normcert report "));
}

TEST_F(Parts, OfChosenRowsAndTheRoundingLevelToo) {
  Words words = asked();
  words.insert(words.end(), {"--require", "rounding", "--rows", "5000:low-q"});
  Words whole = words;
  whole.insert(whole.end(), {"--report", "whole.json"});
  EXPECT_EQ(run_verify(whole, folder_.path()).status, 1);
  for (const char* part : {"1", "2"}) {
    write_part(std::string(part) + "/2", std::string(part) + ".json", words);
  }
  EXPECT_EQ(merge({"1.json", "2.json"}, "merged.json").status, 1);
  EXPECT_TRUE(without_rerun("merged.json") == without_rerun("whole.json"));
}

TEST_F(Parts, OfCaseFilesWithClaims) {
  Words words = {
      "--cases",       source_file("cases/claims"), "--candidate", "naive.fp64", "--max-ulp", "1",
      "--reproducible"};
  Words whole = words;
  whole.insert(whole.end(), {"--report", "whole.json"});
  const int status = run_verify(whole, folder_.path()).status;
  Words files;
  for (const char* part : {"1", "2", "3"}) {
    files.push_back(std::string(part) + ".json");
    write_part(std::string(part) + "/3", files.back(), words);
  }
  EXPECT_EQ(merge(files, "merged.json").status, status);
  EXPECT_TRUE(without_rerun("merged.json") == without_rerun("whole.json"));
}

TEST_F(Parts, SayThatTheyAreParts) {
  write_part("2/3", "part.json");
  const Json part = read("part.json");
  EXPECT_EQ(part.at("part").at("index"), 2);
  EXPECT_EQ(part.at("part").at("of"), 3);
  EXPECT_NE(part.at("headline").get<std::string>().find("in part 2 of 3"), std::string::npos);
  EXPECT_NE(part.at("not_tested").dump().find("part 2 of 3"), std::string::npos);
  Words words = asked();
  words.insert(words.end(), {"--part", "2/3", "--report", "part.md"});
  const ProgramResult result = run_verify(words, folder_.path());
  EXPECT_NE(result.out.find("(part 2 of 3)"), std::string::npos) << result.out;
  EXPECT_TRUE(read_whole_file(at("part.md")).find(" in part 2 of 3: ") < 40);
  if (!validator_is_there()) GTEST_SKIP() << "needs python3-jsonschema";
  const auto said = validated(run_program({"schema", "verify"}).out,
                              nlohmann::json::array({nlohmann::json(part)}));
  EXPECT_EQ(said, std::vector<std::string>{"ok"});
}

TEST_F(Parts, AMissingOneOrOneTwiceIsRefused) {
  for (const char* part : {"1", "2", "3"}) {
    write_part(std::string(part) + "/3", std::string(part) + ".json");
  }
  expect_refused({"1.json", "3.json"}, {"part 2 of 3"});
  expect_refused({"2.json"}, {"part 1, 3 of 3"});
  expect_refused({"1.json", "2.json", "3.json", "2.json"}, {"part.index", "2.json", "once"});
  expect_refused({"1.json", "2.json", "none.json"}, {"none.json"});
}

TEST_F(Parts, OfAnotherRunAreRefused) {
  write_part("1/2", "1.json");
  write_part("2/2", "2.json");
  // Other inputs under the same name.
  write_rows(at("c.safetensors"), 9000, 4);
  write_part("2/2", "other_input.json");
  expect_refused({"1.json", "other_input.json"},
                 {"other_input.json", "inputs[2].sha256", "1.json"});
  write_part("2/3", "of_three.json");
  expect_refused({"1.json", "of_three.json"}, {"of_three.json", "part.of"});
  const auto with = [&](const Words& more) {
    Words words = asked();
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  write_rows(at("c.safetensors"), 9000, 3);
  write_part("2/2", "atol.json", with({"--atol", "1"}));
  expect_refused({"1.json", "atol.json"}, {"atol.json", "criteria.tolerance"});
  write_part("2/2", "level.json", with({"--require", "bits"}));
  expect_refused({"1.json", "level.json"}, {"level.json", "verdict.level"});
  write_part("2/2", "rows.json", with({"--rows", "300:first"}));
  expect_refused({"1.json", "rows.json"}, {"rows.json", "cases[0].rows"});
  write_part("2/2", "candidate.json", with({"--candidate", "naive.fp16"}));
  expect_refused({"1.json", "candidate.json"}, {"candidate.json", "part.run.candidates"});
  Json older = read("2.json");
  older["tool"]["version"] = "0.0.1";
  write("older.json", older);
  expect_refused({"1.json", "older.json"}, {"older.json", "tool.version", "0.0.1"});
  EXPECT_EQ(merge({"1.json", "2.json"}, "merged.json").status, 1);
}

TEST_F(Parts, WhatIsNoPartIsRefused) {
  write_part("1/1", "1.json");
  Words whole = asked();
  whole.insert(whole.end(), {"--report", "whole.json"});
  static_cast<void>(run_verify(whole, folder_.path()));
  expect_refused({"whole.json"}, {"whole.json", "a report of a whole run"});
  expect_refused({"a.safetensors"}, {"a.safetensors"});
  write_text(at("list.json"), "[1, 2]");
  expect_refused({"list.json"}, {"list.json", "no report of normcert"});
  EXPECT_EQ(merge({"1.json"}, "1.json").status, 2);
  EXPECT_EQ(run_program({"report", "merge", "1.json"}, {.folder = folder_.path()}).status, 2);
  EXPECT_EQ(run_program({"report", "-o", "x.json"}, {.folder = folder_.path()}).status, 2);
  EXPECT_EQ(
      run_program({"report", "marge", "1.json", "-o", "x.json"}, {.folder = folder_.path()}).status,
      2);
}

// A part's figures must agree with its rows and with one another, and what it shows with both.
TEST_F(Parts, FiguresThatCannotBeTrueAreRefused) {
  write_part("1/3", "1.json");
  const Json part = read("1.json");
  const std::string result = "/part/totals/0/results/0/";
  const auto refused = [&](const std::string& pointer, const Json& value,
                           const std::vector<std::string>& said) {
    Json changed = part;
    ASSERT_TRUE(changed.contains(Json::json_pointer(pointer))) << pointer;
    ASSERT_NE(changed.at(Json::json_pointer(pointer)), value) << pointer;
    changed[Json::json_pointer(pointer)] = value;
    write("changed.json", changed);
    expect_refused({"changed.json"}, said);
  };
  const auto plus = [&](const std::string& pointer, int more) {
    return Json(part.at(Json::json_pointer(pointer)).get<std::int64_t>() + more);
  };
  const std::string comparison = result + "comparison/";
  const std::string place = "part.totals[0].results[0].comparison.";
  for (const char* key : {"expected", "compared", "rows_set_apart"}) {
    refused(comparison + key, plus(comparison + key, 1), {"changed.json", place + key});
  }
  refused(comparison + "decided_exactly", plus(comparison + "decided_exactly", 1),
          {place + "decided_exactly", "the elements compared"});
  refused(comparison + "faithful", 100000000, {place + "faithful", "at most"});
  refused(comparison + "correctly_rounded", plus(comparison + "correctly_rounded", -1),
          {place + "code_distance", "those correctly rounded"});
  refused(comparison + "code_distance/0/1", plus(comparison + "code_distance/0/1", 5),
          {place + "code_distance", "distances of"});
  refused(comparison + "absolute/witness/row", 100000,
          {place + "absolute.witness.row", "a row of this part"});
  refused(comparison + "absolute/witness/index", 4, {place + "absolute.witness.index"});
  refused(comparison + "absolute/witness/x", "fp32 3f800000",
          {place + "absolute.witness.x", "a number of bf16"});
  for (const char* key : {"absolute", "relative", "ulp"}) {
    refused(comparison + key + "/witness/got", "bf16 4321",
            {place + key + ".value", "error that its witness has"});
    refused(comparison + key + "/value", "0x1p-3", {place + key + ".value"});
  }
  refused(comparison + "beyond_max_ulp", 0, {place + "beyond_max_ulp"});
  refused(result + "bits/0", 100000000, {"results[0].bits[0]"});
  refused("/part/totals/0/rows/finite", plus("/part/totals/0/rows/finite", 1),
          {"part.totals[0].rows.finite", "the rows of the case in this part"});
  refused("/part/totals/0/case", 1, {"part.totals[0]"});
  // What is shown is not what the totals give; another command.
  refused("/results/0/compared", plus("/results/0/compared", 1),
          {"results[0].compared", "as part.totals give"});
  refused("/verdict/value", "accepted", {"verdict.value", "as part.totals give"});
  refused("/headline", "accepted", {"headline", "as part.totals give"});
  write_part("2/3", "2.json");
  write_part("3/3", "3.json");
  Json other = part;
  other["rerun"] = "normcert verify --part 1/3 other.safetensors";
  write("changed.json", other);
  expect_refused({"changed.json", "2.json", "3.json"}, {"2.json", "rerun", "changed.json"});
  EXPECT_EQ(merge({"1.json", "2.json", "3.json"}, "merged.json").status, 1);
}

// Every value of the part's own key, changed into something of another kind, is refused with its
// place or makes no difference to anything but itself: nothing crashes.
TEST_F(Parts, DamagedTotalsAreRefused) {
  write_part("1/1", "1.json");
  const Json part = read("1.json");
  const Json flat = part.at("part").flatten();
  int refused = 0;
  int tried = 0;
  int step = 0;
  for (const auto& [pointer, value] : flat.items()) {
    if (step++ % 211 != 0) continue;  // a sample: each takes a run of the program
    if (value.is_null()) continue;
    Json damaged = part;
    damaged[Json::json_pointer("/part" + pointer)] = {{"not", "this"}};
    write("damaged.json", damaged);
    const ProgramResult result = merge({"damaged.json"}, "no.json");
    ++tried;
    if (result.status == 2) ++refused;
    EXPECT_EQ(result.status, 2) << pointer;
    EXPECT_NE(result.err.find("damaged.json"), std::string::npos) << result.err;
  }
  EXPECT_GE(tried, 10);
  EXPECT_EQ(refused, tried);
}

}  // namespace
}  // namespace normcert
