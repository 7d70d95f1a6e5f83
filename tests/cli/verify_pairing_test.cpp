// Outputs in files of their own: which case they belong to, and what happens where none fits.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/verify_run.hpp"

namespace normcert {
namespace {

using Codes = std::vector<std::string>;

class VerifyPairing : public ::testing::Test {
 protected:
  VerifyPairing() {
    // As `normcert cases` writes them: prefixes are the ids of cases.
    TextPairs metadata = complete_metadata();
    metadata.push_back({"normcert_cases", std::string(64, '0')});
    write_capture(at("cases.safetensors"), metadata,
                  {{"one.x", numbers(kRow)}, {"two.x", numbers({{7, 1}})}});
  }

  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void observe(const std::vector<SafetensorsEntry>& outputs,
               const std::string& name = "observed.safetensors") const {
    write_capture(at(name), {}, outputs);
  }
  [[nodiscard]] Words words(const Words& more = {}) const {
    Words all = {"--cases",    at("cases.safetensors"),
                 "--observed", at("observed.safetensors"),
                 "--max-ulp",  "0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  EmptyFolder folder_;
};

TEST_F(VerifyPairing, ByTheNameOfTheCase) {
  observe({{"two.y", numbers({{0.875, 0.125}})}, {"one.y", numbers(kRight)}});
  const auto [status, report] = report_of(words());
  EXPECT_EQ(status, 0);
  ASSERT_EQ(report["results"].size(), 2U);
  EXPECT_EQ(report["results"][0]["case"], "one");
  EXPECT_EQ(report["results"][1]["case"], "two");
  EXPECT_EQ(report["inputs"].size(), 2U);
  // Exchanged outputs are caught.
  observe({{"one.y", numbers({{0.875, 0.125}})}, {"two.y", numbers(kRight)}});
  EXPECT_EQ(report_of(words()).status, 1);
}

TEST_F(VerifyPairing, OnePairNeedsNoNames) {
  write_capture(at("cases.safetensors"), complete_metadata(), {{"x", numbers(kRow)}});
  observe({{"y", numbers(kRight)}});
  EXPECT_EQ(run_verify(words()).status, 0);
}

TEST_F(VerifyPairing, AMissingOutputIsRefusedOrSaid) {
  observe({{"one.y", numbers(kRight)}});
  expect_verify_refused(words(), {"observed.safetensors", "no output for two", "--partial"});
  const auto [status, report] = report_of(words({"--partial"}));
  EXPECT_EQ(status, 0);
  ASSERT_EQ(report["results"].size(), 1U);
  EXPECT_EQ(report["results"][0]["case"], "one");
  EXPECT_EQ(report["not_tested"][0], "no output for two");
  EXPECT_NE(run_verify(words({"--partial"})).out.find("no output for two"), std::string::npos);
}

TEST_F(VerifyPairing, AnOutputWithoutCaseIsRefusedOrSaid) {
  observe({{"one.y", numbers(kRight)},
           {"two.y", numbers({{0.875, 0.125}})},
           {"three.y", numbers(kRight)}});
  expect_verify_refused(words(), {"no case for three"});
  const auto [status, report] = report_of(words({"--partial"}));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(report["not_tested"][0], "no case for the output three");
}

TEST_F(VerifyPairing, NoPairAtAllIsRefused) {
  observe({{"three.y", numbers(kRight)}, {"four.y", numbers(kRight)}});
  expect_verify_refused(words(), {"observed.safetensors"});
  expect_verify_refused(words({"--partial"}), {"no output that belongs to a case"});
}

TEST_F(VerifyPairing, AnEmptyFolderIsRefused) {
  std::filesystem::create_directory(at("empty"));
  expect_verify_refused({"--cases", at("cases.safetensors"), "--observed", at("empty")},
                        {"empty: --observed", "a folder without .safetensors"});
  expect_verify_refused({"--cases", at("empty"), "--max-ulp", "1"}, {"a folder without"});
  expect_verify_refused({"--cases", at("cases.safetensors"), "--observed", at("nowhere")},
                        {"nowhere"});
}

TEST_F(VerifyPairing, WrongShapesAreRefused) {
  observe({{"one.y", numbers({{0.125, 0.875, 0}})}, {"two.y", numbers({{0.875, 0.125}})}});
  expect_verify_refused(words(), {"1 x 3 outputs", "1 x 2, the shape of case one"});
  observe({{"one.y", numbers({{0.125, 0.875}, {0, 0}})}, {"two.y", numbers({{0.875, 0.125}})}});
  expect_verify_refused(words({"--partial"}), {"2 x 2 outputs"});
}

TEST_F(VerifyPairing, TwoOutputsOfOneCaseAreRefused) {
  std::filesystem::create_directory(at("outputs"));
  observe({{"one.y", numbers(kRight)}, {"two.y", numbers({{0.875, 0.125}})}},
          "outputs/a.safetensors");
  observe({{"one.y", numbers(kWrong)}}, "outputs/b.safetensors");
  expect_verify_refused({"--cases", at("cases.safetensors"), "--observed", at("outputs")},
                        {"b.safetensors", "a second output of case one"});
}

TEST_F(VerifyPairing, EqualIdsAreRefused) {
  std::filesystem::create_directory(at("more"));
  write_right(at("a.safetensors"));
  write_right(at("more/a.safetensors"));
  expect_verify_refused({at("a.safetensors"), at("more/a.safetensors"), "--max-ulp", "1"},
                        {"a second case with the id a"});
}

TEST_F(VerifyPairing, OutputsNeedCases) {
  observe({{"y", numbers(kRight)}});
  expect_verify_refused({"--observed", at("observed.safetensors")},
                        {"--observed: found", "observed.safetensors", "--cases"});
  // A capture without outputs, and nothing that was named to be judged.
  const auto [status, report] = report_of({"--cases", at("cases.safetensors"), "--max-ulp", "1"});
  EXPECT_EQ(status, 3);
  EXPECT_EQ(reason_codes(report), Codes{"nothing_observed"});
}

TEST_F(VerifyPairing, AFolderOfCapturesIsReadInOrderOfNames) {
  std::filesystem::create_directory(at("captures"));
  write_right(at("captures/b.safetensors"));
  write_right(at("captures/a.safetensors"));
  write_text(at("captures/README.md"), "not a capture");
  const auto [status, report] = report_of({at("captures"), "--max-ulp", "0"});
  EXPECT_EQ(status, 0);
  ASSERT_EQ(report["results"].size(), 2U);
  EXPECT_EQ(report["results"][0]["case"], "a");
}

TEST_F(VerifyPairing, ContentDecidesNotTheName) {
  write_right(at("capture.json"));
  EXPECT_EQ(run_verify({at("capture.json"), "--max-ulp", "0"}).status, 0);
  write_text(at("cases.safetensors"), R"({"schema": "normcert/cases/1", "cases": [
    {"id": "c", "class": "custom", "epsilon": 39, "x": [[1, 7]], "y": [[0.125, 0.875]]}]})");
  EXPECT_EQ(run_verify({at("cases.safetensors"), "--max-ulp", "0"}).status, 0);
}

TEST_F(VerifyPairing, ResidualsAndTheirOutputs) {
  const auto write = [&](const std::vector<SafetensorsEntry>& outputs) {
    std::vector<SafetensorsEntry> entries = {{"x", numbers({{0.5, 3}})},
                                             {"residual", numbers({{0.5, 4}})}};
    entries.insert(entries.end(), outputs.begin(), outputs.end());
    write_capture(at("r.safetensors"), complete_metadata(), entries);
  };
  write({{"y", numbers(kRight)}, {"residual_out", numbers(kRow)}});
  const auto both = report_of({at("r.safetensors"), "--max-ulp", "0"});
  EXPECT_EQ(both.status, 0);
  ASSERT_EQ(both.json["results"].size(), 2U);
  EXPECT_EQ(both.json["results"][0]["tensor"], "y");
  EXPECT_EQ(both.json["results"][1]["tensor"], "residual_out");
  write({{"y", numbers(kRight)}, {"residual_out", numbers({{1, 6}})}});
  EXPECT_EQ(report_of({at("r.safetensors"), "--max-ulp", "0"}).status, 1);
  write({{"y", numbers(kRight)}});
  const auto missing = report_of({at("r.safetensors"), "--max-ulp", "0"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_EQ(reason_codes(missing.json), Codes{"missing_output"});
}

}  // namespace
}  // namespace normcert
